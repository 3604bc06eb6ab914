"""TCP without I/O or clock: segments in, ordered bytes, gaps and connection facts out."""
