"""What runs the stages of a run: Spark, or this process. Stages are plain functions and know neither."""
