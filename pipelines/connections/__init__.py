"""Sorted segments to connections: streams put in order, PDUs and calls found, rows made."""
