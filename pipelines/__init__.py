"""Spark stages, the run, and the command line."""
