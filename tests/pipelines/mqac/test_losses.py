"""One packet missing or cut anywhere: less is told, or in doubt, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.com.losses import records_of, shortened
from tests.pipelines.mqac.conversations import conversation
from tests.pipelines.mqac.losses import Truth
from tests.pipelines.mqac.scripts import CONVERSATIONS
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = 24
DIRECT = ("queue", "transaction", "query")
LATE = ("queue_info", "message", "outgoing_queue_management")
"""Between them classes of every kind, and both ways of calling."""
CASES = [*((name, False) for name in DIRECT), *((name, True) for name in LATE)]


@pytest.mark.parametrize(("name", "late"), CASES)
def test_one_packet_missing_or_cut(name: str, late: bool, tmp_path: Path) -> None:
    body, *objects = CONVERSATIONS[name]
    whole = capture(tmp_path, conversation(body, *objects, late=late))
    data = whole.read_bytes()
    header, records = data[:_HEADER], records_of(data)
    truth = Truth(whole)
    assert any(truth.rows.values())
    objections = []
    less = tmp_path / "less" / whole.name
    less.parent.mkdir()
    for place, record in enumerate(records):
        for instead in {b"", shortened(record)} - {record}:
            less.write_bytes(header + b"".join((*records[:place], instead, *records[place + 1 :])))
            objections += [f"packet {place + 1}: {text}" for text in truth.objections(less)]
            less.unlink()
    assert objections == []
