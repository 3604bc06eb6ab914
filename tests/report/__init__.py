"""The report: what goes into it, and how it behaves in a browser."""
