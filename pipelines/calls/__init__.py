"""Calls of a connection: interfaces inferred, values decoded, rows and facts made."""
