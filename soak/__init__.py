"""Faults on purpose: what a run promises when workers die, disks fill and captures change, and what it costs."""
