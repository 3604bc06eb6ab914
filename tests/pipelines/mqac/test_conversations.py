"""One conversation of each class: golden rows, and late-bound twins that tell the same (--update-golden)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.golden_files import GOLDEN, compare
from tests.local import Local
from tests.pipelines.mqac.conversations import TOLD, compared, conversation, told
from tests.pipelines.mqac.scripts import CONVERSATIONS
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

Tables = dict[str, list[dict[str, Any]]]
CLASSES = sorted(CONVERSATIONS)
_BY_SCRIPT = frozenset(("detect-queue-changed-by-script", "detect-msmq-object-scripted"))
"""What they report is that a call was late-bound."""
_SPOKEN = frozenset(("serves", "called"))
"""Of hosts: a script speaks IDispatch only, and stands for the first revision of each interface."""


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tables]:
    """Of each class, as its own numbers play it."""
    found = {}
    for name in CLASSES:
        body, *objects = CONVERSATIONS[name]
        found[name] = told(tmp_path_factory.mktemp(name), conversation(body, *objects))
    return found


@pytest.mark.parametrize("name", CLASSES)
def test_conversation_gives_the_golden_rows(
    name: str, direct: dict[str, Tables], request: pytest.FixtureRequest
) -> None:
    rows = [{"table": table} | row for table in TOLD for row in direct[name][table]]
    compare(rows, GOLDEN / "mqac" / f"{name}.jsonl", request.config)


@pytest.mark.parametrize("name", CLASSES)
def test_late_bound_twin_tells_the_same(name: str, direct: dict[str, Tables], tmp_path: Path) -> None:
    body, *objects = CONVERSATIONS[name]
    late = told(tmp_path, conversation(body, *objects, late=True))
    twins = compared(direct[name]), compared(late)
    for table in TOLD:
        one, other = (
            [
                {key: row[key] for key in row.keys() - _SPOKEN}
                for row in twin[table]
                if row.get("rule_id") not in _BY_SCRIPT
            ]
            for twin in twins
        )
        assert other == one, table


@pytest.mark.parametrize("late", [False, True])
def test_all_is_decoded_whole(late: bool, tmp_path: Path) -> None:
    """Of one that has calls of many kinds."""
    body, *objects = CONVERSATIONS["message"]
    found = Local(capture(tmp_path, conversation(body, *objects, late=late)))
    assert found.imbalances() == []
    assert [one["detail"] for one in found.tables["issues"]] == []
    assert {one["decode_state"] for one in found.tables["calls"]} == {"full"}


def test_something_of_every_kind_is_told(direct: dict[str, Tables]) -> None:
    tables = {table for found in direct.values() for table in TOLD if found[table]}
    assert tables == set(TOLD)
    actions = {row["action"] for found in direct.values() for row in found["admin_actions"]}
    assert actions >= {"create", "delete", "set_properties", "set_security", "purge", "pause", "resume", "eod_resend"}
    assert actions >= {"connect", "disconnect", "tidy", "register_certificate", "query"}
