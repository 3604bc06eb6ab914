"""What the quality gate found, from quality.json."""

from __future__ import annotations

import json
from typing import Any, Final

from ingest.files import exists, join, read_bytes
from pipelines.report.packing import clipped

Row = dict[str, Any]
FILE: Final = "quality.json"
FAILURES_TOLD: Final = 200


def quality_of(folder: str) -> Row | None:
    """None: the gate was not run, or what it wrote is not there."""
    path = join(folder, FILE)
    if not exists(path):
        return None
    try:
        found = json.loads(read_bytes(path))
        suites = found["suites"]
        return {
            "success": bool(found["success"]),
            "expectations": int(found["expectations"]),
            "failed": int(found["failed"]),
            "suites": [_suite(one) for one in suites],
            "failures": [_failure(one) for suite in suites for one in suite["expectations"] if not one["success"]][
                :FAILURES_TOLD
            ],
        }
    except (ValueError, KeyError, TypeError):
        return {"success": False, "expectations": 0, "failed": 0, "suites": [], "failures": [], "damaged": True}


def _suite(suite: Row) -> Row:
    failed = sum(not one["success"] for one in suite["expectations"])
    return {
        "suite": str(suite["suite"]),
        "rows": int(suite["rows"]),
        "expectations": len(suite["expectations"]),
        "failed": failed,
    }


def _failure(one: Row) -> Row:
    examples = [", ".join(f"{name}={value}" for name, value in example.items()) for example in one["examples"]]
    return {
        "table": str(one["table"]),
        "what": clipped(str(one["what"])),
        "unexpected": int(one["unexpected"]),
        "examples": [clipped(text) for text in examples],
    }
