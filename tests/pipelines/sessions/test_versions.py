"""Versions that servers tell, as numbers or in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.facts.versions import known_versions
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = "connect\nRemoteQmGetVersion\nclose\n"
WORDS = "connect interface qmcomm\nR_QMQueryQMRegistryInternal {}\nclose\n"


@pytest.mark.parametrize(
    ("script", "version"),
    [
        (NUMBERS, (6, 1, 7601)),
        (WORDS.format(""), (6, 1, 7601)),
        (NUMBERS + WORDS.format(""), (6, 1, 7601)),
        (WORDS.format('-> lplpMQISServer="5.0.2195"'), (5, 0, 2195)),
        (NUMBERS + WORDS.format('-> lplpMQISServer="5.2.1720"'), None),
        (WORDS.format('-> lplpMQISServer="2,0,0,700"'), None),
        (WORDS.format('-> lplpMQISServer="6.1.7601.65536"'), None),
        (WORDS.format("-> lplpMQISServer=null"), None),
        (WORDS.format('dwQueryType=4 -> lplpMQISServer="6.1.7601"'), None),
        (WORDS.format('-> lplpMQISServer="6.1.7601" status=MQ_ERROR'), None),
        (WORDS.format("").replace("qmcomm", "qmcomm lose bind_ack"), None),
    ],
)
def test_said_version(script: str, version: tuple[int, int, int] | None, tmp_path: Path) -> None:
    versions = known_versions(Local(capture(tmp_path, script)).versions)
    assert versions.get("10.0.0.9") == version


def told_of(path: Path, address: str) -> list[str]:
    (versions,) = [row["versions"] for row in Local(path).judged()["hosts"] if row["address"] == address]
    assert isinstance(versions, list)
    return versions


@pytest.mark.parametrize(
    ("script", "versions"),
    [
        (NUMBERS, ["6.1.7601"]),
        (WORDS.format('-> lplpMQISServer="10.0.14393"'), ["10.0.14393"]),
        (NUMBERS.replace("connect", "connect auth privacy"), []),
        (WORDS.format('-> lplpMQISServer="2,0,0,700"'), []),
        (WORDS.format('-> lplpMQISServer="6.1"'), []),
        (WORDS.format('-> lplpMQISServer="65535.1.1"'), []),
        (WORDS.format('-> lplpMQISServer="\u0666.\u0661.\u0667"'), []),
        (WORDS.format('dwQueryType=4 -> lplpMQISServer="6.1.7601"'), []),
    ],
)
def test_hosts_have_the_versions_that_rules_know(script: str, versions: list[str], tmp_path: Path) -> None:
    assert told_of(capture(tmp_path, script), "10.0.0.9") == versions


@pytest.mark.parametrize(("options", "versions"), [("", ["6.1.7601"]), ("auth privacy", [])])
def test_a_sealed_open_says_no_version_of_its_client(options: str, versions: list[str], tmp_path: Path) -> None:
    script = f"connect interface RemoteRead {options}\nR_OpenQueue Major=6 Minor=1 BuildNumber=7601\nclose\n"
    path = capture(tmp_path, script)
    clients = {row["id"]["orig_h"] for row in Local(path).tables["calls"]}
    assert [told_of(path, client) for client in clients] == [versions]
