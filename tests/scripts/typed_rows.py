"""What the decoders make of calls that go well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.local import Local
from tests.scripts.calls import interface_of
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]


def typed(folder: Path, *calls: str, syntax: str = "ndr") -> list[Row]:
    """The typed rows of calls that are answered and decoded whole, without an issue."""
    interfaces = dict.fromkeys(interface_of(call.split(maxsplit=1)[0]) for call in calls)
    lines = (f"connect {name} interface {name} syntax {syntax}" for name in interfaces)
    found = Local(capture(folder, "\n".join((*lines, *calls))), keep_payload=True)
    assert found.imbalances() == []
    assert [issue["detail"] for issue in found.tables["issues"]] == []
    assert {(call["outcome"], call["decode_state"]) for call in found.tables["calls"]} == {("answered", "full")}
    names = dict.fromkeys(call.split(maxsplit=1)[0] for call in calls)
    rows = (row for name in names for row in found.tables[f"{interface_of(name)}_{name}"])
    return sorted(rows, key=lambda row: row["ts"])
