"""Capture files to conversations worth reading: inventory, scan, choice."""
