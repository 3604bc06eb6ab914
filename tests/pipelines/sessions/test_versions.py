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
    versions = known_versions(Local(capture(tmp_path, script)).tables["versions"])
    assert versions.get("10.0.0.9") == version
