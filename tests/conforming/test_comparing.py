"""What the comparison lets pass, and what not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.conforming.comparing import differences
from tests.conforming.truth import Read, Truth

ROW: dict[str, Any] = {
    "ts": dt.datetime(2026, 1, 5, tzinfo=dt.UTC),
    "endpoint": "RemoteRead",
    "start_call_uid": "R1",
    "session_uid": None,
    "outcome": "rundown",
    "doubt": "sealed",
    "action": "MQ_ACTION_RECEIVE",
    "request_id": 3,
}


@pytest.mark.parametrize(
    ("end_sealed", "changed", "found"),
    [
        (True, {}, []),
        (False, {}, ["outcome"]),
        (True, {"doubt": None}, ["outcome"]),
        (True, {"doubt": "bytes_missing"}, ["outcome"]),
        (True, {"request_id": 4}, ["request_id"]),
        (True, {"action": "MQ_ACTION_PEEK_CURRENT"}, ["action"]),
    ],
)
def test_only_how_it_ended_may_be_sealed(end_sealed: bool, changed: dict[str, Any], found: list[str]) -> None:
    asked_us = round(ROW["ts"].timestamp() * 1_000_000)
    read = Read(None, asked_us, "RECEIVE", 3, frozenset(("acked",)), end_sealed=end_sealed, endpoint="RemoteRead")
    tables = dict.fromkeys(("sessions", "sends", "transactions", "admin_actions"), ()) | {"reads": [ROW | changed]}
    assert [one.what for one in differences(Truth(reads=[read]), tables)] == found
