"""What is kept in mind of an object is bounded: beyond that nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pipelines.mqac.events import MAX_ADVISED
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

EVENT: Final = """
connect r interface IRemoteSCMActivator
RemoteCreateInstance class=MSMQEvent iids=[IMSMQEvent3, IConnectionPointContainer] -> gives=[A, K]
connect interface IMSMQEvent3
alter interface IConnectionPointContainer
alter interface IConnectionPoint
FindConnectionPoint object=K -> gives=[P]
"""


@pytest.mark.parametrize(
    ("advised", "verdict"), [(MAX_ADVISED, ("violation", None)), (MAX_ADVISED + 1, ("not_decidable", "limit"))]
)
def test_a_callback_that_is_not_kept_in_mind(advised: int, verdict: tuple[str, str | None], tmp_path: Path) -> None:
    lines = [f"Advise sink=S{cookie} -> pdwCookie={cookie}" for cookie in range(1, advised + 1)]
    script = "\n".join((EVENT, *lines, f"Unadvise dwCookie={advised + 1}", "close", "close r"))
    found = Local(capture(tmp_path, script)).findings()
    assert [(row["verdict"], row["reason"]) for row in found if row["rule_id"] == "mqac-unadvise-cookie"] == [verdict]
