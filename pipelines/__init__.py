"""Spark stages, the run, and the command line."""

from __future__ import annotations

import mqtrail  # noqa: F401 - guards the names of our packages
