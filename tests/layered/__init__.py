"""Captures as trees of layers, damaged at one or several of them: containers, frames, segments, PDUs, tokens, stubs."""
