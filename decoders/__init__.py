"""Bytes to values: headers, TCP streams, DCE/RPC. No Spark, no Arrow, no file access."""
