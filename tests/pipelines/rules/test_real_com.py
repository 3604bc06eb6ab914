"""Real traffic of DCOM: whatever Windows and those who attack it do, nobody is accused of breaking COM's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from ingest.choice import Choice, Scope
from tests.conftest import ROOT
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

_SHARED: Final = ROOT.parent / "shared"
_OF_COM: Final = ("dcom-", "oaut-")
_EXECUTING: Final = ("covenant", "wmiexec")
CAPTURES: Final = sorted(
    path for path in _SHARED.glob("captures*/**/*") if path.suffix in (".cap", ".pcap", ".pcapng") and path.is_file()
)
DCOM: Final = [path for path in CAPTURES if path.parent.name == "captures-dcom"]
needed: Final = pytest.mark.skipif(not CAPTURES, reason="the captures are not there")


def _judged(path: Path) -> dict[str, list[dict[str, object]]]:
    return Local(path, choice=Choice(Scope.RPC)).judged()


@needed
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.name)
def test_nobody_breaks_a_rule_of_com(path: Path) -> None:
    broken = [
        (row["rule_id"], row["evidence"])
        for row in _judged(path)["findings"]
        if str(row["rule_id"]).startswith(_OF_COM) and row["verdict"] == "violation"
    ]
    assert broken == []


@needed
@pytest.mark.parametrize("path", DCOM, ids=lambda path: path.name)
def test_rules_of_com_are_kept_in_sight(path: Path) -> None:
    """That nobody is accused is not because nothing was looked at."""
    kept = {str(row["rule_id"]) for row in _judged(path)["verdicts"] if row["verdict"] == "pass"}
    assert {"dcom-interface-version", "dcom-orpcthis-flags", "dcom-local-opnums"} <= kept


@needed
@pytest.mark.parametrize("path", DCOM, ids=lambda path: path.name)
def test_classes_that_run_commands_are_reported(path: Path) -> None:
    """Where their activation is in the capture, and not sealed."""
    found = {row["rule_id"] for row in _judged(path)["findings"] if row["verdict"] == "detection"}
    assert ("detect-execution-class-activated" in found) == any(name in path.name for name in _EXECUTING)
