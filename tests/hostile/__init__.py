"""Captures that somebody wrote to be expensive: what they cost is held against ordinary traffic of the same size."""
