"""Versions of DCOM are asked for once a connection: all its calls have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import com_values as c
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends
from tests.pipelines.com import story as s

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, *talks: ComTalk) -> list[tuple[str, str | None, int]]:
    rows = s.captured(folder, *talks).judged()["verdicts"]
    return [
        (row["verdict"], row["reason"], row["count"]) for row in rows if row["rule_id"] == "dcom-version-negotiated"
    ]


def three(port: int) -> ComTalk:
    return s.executed(s.executed(s.executed(ComTalk(Ends(port, s.PORT)).bind(c.DISPATCH))))


def test_what_is_not_known_is_told_once_a_connection(tmp_path: Path) -> None:
    assert told(tmp_path, three(50_001), three(50_002)) == [("not_decidable", "server_version_unknown", 2)]


def test_what_is_kept_is_counted_once_a_connection(tmp_path: Path) -> None:
    assert told(tmp_path, s.activation(), s.executed(s.executed(s.created(s.exporter())))) == [("pass", None, 1)]
