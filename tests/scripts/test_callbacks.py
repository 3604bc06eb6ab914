"""Callbacks: the server asks inside a call of the client's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.local import Local
from tests.scripts.player import capture, play

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]


def calls(folder: Path, *lines: str, auth: str = "integrity") -> list[Row]:
    script = "\n".join((f"connect interface dscomm auth {auth}", "ask v S_DSValidateServer", *lines))
    found = Local(capture(folder, script))
    assert found.imbalances() == []
    return sorted(found.tables["calls"], key=lambda call: call["ts_ns"])


def test_both_go_by_the_call_that_waits(tmp_path: Path) -> None:
    lines = "callback v S_InitSecCtx dwContext=7 -> status=SEC_I_CONTINUE_NEEDED", "callback v S_InitSecCtx", "answer v"
    outer, first, second = calls(tmp_path, *lines)
    assert [call["operation"] for call in (outer, first, second)] == ["S_DSValidateServer", *["S_InitSecCtx"] * 2]
    assert {call["call_id"] for call in (outer, first, second)} == {2}
    assert [call["is_callback"] for call in (outer, first, second)] == [False, True, True]
    assert (first["status"], second["status"], outer["status"]) == (0x0009_0312, 0, 0)
    assert {call["decode_state"] for call in (outer, first, second)} == {"full"}


def test_packets_go_the_other_way() -> None:
    frames = play("connect interface dscomm auth none\nask v S_DSValidateServer\ncallback v S_InitSecCtx\nanswer v")
    # The client's port is where Ethernet and IPv4 headers end.
    from_client = [one.frame.captured[34:36] == (50_001).to_bytes(2, "big") for one in frames]
    asked = [one.about for one in frames if one.line == 3]
    assert asked == ["request", "response", "ack"]
    assert [way for one, way in zip(frames, from_client, strict=True) if one.line == 3] == [False, True, False]


@pytest.mark.parametrize(
    ("callback", "outcome"),
    [
        ("callback v S_InitSecCtx -> none", "unanswered"),
        ("callback v S_InitSecCtx -> lost", "unanswered"),
        ("callback v S_InitSecCtx -> fault=nca_op_rng_error", "faulted"),
    ],
)
def test_callbacks_that_go_wrong(tmp_path: Path, callback: str, outcome: str) -> None:
    found = calls(tmp_path, callback, "answer v -> status=MQ_ERROR_DS_ERROR")
    assert [call["outcome"] for call in found if call["operation"] == "S_InitSecCtx"] == [outcome]


def test_each_side_counts_its_own_signatures(tmp_path: Path) -> None:
    """A number that is used twice would be a replay."""
    script = "connect interface dscomm\nask v S_DSValidateServer\ncallback v S_InitSecCtx\nanswer v\nS_DSLookupEnd"
    sent = [one.frame.captured for one in play(script) if one.about in ("request", "response")]
    numbers: dict[bytes, list[int]] = {}
    for frame in sent:
        numbers.setdefault(frame[34:36], []).append(int.from_bytes(frame[-4:], "little"))
    assert list(numbers.values()) == [[0, 1, 2], [0, 1, 2]]


@pytest.mark.parametrize("auth", ["none", "privacy"])
def test_other_levels(tmp_path: Path, auth: str) -> None:
    outer, inner = calls(tmp_path, "callback v S_InitSecCtx", "answer v", auth=auth)
    state = "opaque" if auth == "privacy" else "full"
    assert (outer["decode_state"], inner["decode_state"]) == (state, state)
