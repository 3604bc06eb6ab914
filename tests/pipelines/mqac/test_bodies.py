"""Bodies of messages are kept as size and hash, however they were fetched, unless the user asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.local import Local
from tests.pipelines.mqac.conversations import conversation
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

_BODY = "only for the warehouse"
_CARRIED = rf"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
IMSMQQueue4.Receive object=Q -> gives=[M]
IMSMQMessage4.get_Body object=M -> result="{_BODY}"
IMSMQMessage4.put_Body object=M varBody="{_BODY}"
"""


@pytest.mark.parametrize("late", [False, True], ids=["direct", "late"])
@pytest.mark.parametrize("kept", [False, True], ids=["sizes", "kept"])
def test_a_body_is_in_tables_only_if_asked_for(late: bool, kept: bool, tmp_path: Path) -> None:
    script = conversation(_CARRIED, "MSMQQueueInfo=I", late=late)
    local = Local(capture(tmp_path, script), keep_payload=kept)
    tables = {name: rows for name, rows in local.tables.items() if name != "facts"} | local.judged()
    shown = sorted(name for name, rows in tables.items() if any(_BODY in str(row) for row in rows))
    fetched = "IDispatch_Invoke" if late else "IMSMQMessage4_get_Body"
    assert (fetched in shown) is kept
    assert bool(shown) is kept
    assert any(row["message_bytes"] == 2 * len(_BODY) for row in tables["reads"])
