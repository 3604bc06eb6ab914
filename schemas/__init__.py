"""Every table: its columns, their meaning, their Arrow and Spark types."""
