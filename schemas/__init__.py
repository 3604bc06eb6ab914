"""Every table: its columns, their meaning, their Arrow and Spark types."""

from __future__ import annotations

import mqtrail  # noqa: F401 - guards the names of our packages
