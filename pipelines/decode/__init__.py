"""From calls to rows: which interface, which values, which tables."""
