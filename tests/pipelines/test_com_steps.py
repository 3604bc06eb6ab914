"""What the machine of objects tells rules, and how what was missed keeps them from accusing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.com import sight
from tests.local import Local
from tests.pipelines.rules.fixtures import accused
from tests.scripts.player import capture, play, write
from tests.scripts.words import handle

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
ACTIVATE = "connect r interface IRemoteSCMActivator\nRemoteCreateInstance\n"
OPEN = ACTIVATE + "connect interface IMSMQQueueInfo\nalter interface IDispatch\nalter interface IRemUnknown\n"
CLOSE = "close\nclose r\n"
DENIED = "Invoke -> fault=0x80010108\n"


def judged(folder: Path, script: str) -> dict[str, list[Row]]:
    return Local(capture(folder, script)).judged()


def verdicts(tables: dict[str, list[Row]], rule: str) -> set[tuple[str, str | None]]:
    return {(row["verdict"], row["reason"]) for row in tables["verdicts"] if row["rule_id"] == rule}


def test_a_finding_tells_who_did_what_and_where(tmp_path: Path) -> None:
    (row,) = judged(tmp_path, OPEN + "Invoke flags=1 -> fault=0x80010111\n" + CLOSE)["findings"]
    assert (row["rule_id"], row["verdict"], row["party"]) == ("dcom-orpcthis-flags", "violation", "client")
    assert (row["username"], row["domain"], row["id"]["resp_p"]) == ("alice", "CORP", 49_700)
    assert row["title"] == "A call of an object began with flags"
    assert row["evidence"]["values"] == [{"name": "flags", "value": "0x00000001"}]
    assert row["evidence"]["request_frames"]
    assert row["evidence"]["response_frames"]
    assert row["session_uid"] is None


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        ("RemRelease refs=[[A, 5]]\nwait 2m\n", ("violation", None)),
        ("RemRelease refs=[[A, 3]]\nRemRelease refs=[[A, 2]]\nwait 2m\n", ("violation", None)),
        # 3.2.4.3: one goes back with the reference, four are left to release.
        ("Invoke rgvarg=[[9, A]] public=1\nRemRelease refs=[[A, 4]]\nwait 2m\n", ("violation", None)),
        ("RemRelease refs=[[A, 4]]\nwait 2m\n", ("pass", None)),
        ("RemAddRef refs=[[A, 1]]\nRemRelease refs=[[A, 5]]\nwait 2m\n", ("pass", None)),
        # Private ones are counted apart.
        ("RemAddRef refs=[[A, 0, 1]]\nRemRelease refs=[[A, 5]]\nwait 2m\n", ("pass", None)),
        ("RemRelease refs=[[A, 5]] -> status=0x80010108\nwait 2m\n", ("pass", None)),
        ("Invoke -> gives=A\nRemRelease refs=[[A, 5]]\nwait 2m\n", ("pass", None)),
        ("RemRelease refs=[[A, 5]]\n", ("not_decidable", "times_cross")),
        ("RemRelease refs=[[A, 5]] -> lost\nwait 2m\n", ("pass", None)),
        ("Invoke -> gives=A lost\nRemRelease refs=[[A, 5]]\nwait 2m\n", ("not_decidable", "bytes_missing")),
    ],
)
def test_what_a_client_gave_back_it_calls_no_more(tmp_path: Path, calls: str, verdict: tuple[str, str | None]) -> None:
    tables = judged(tmp_path, OPEN + calls + DENIED + CLOSE)
    assert verdict in verdicts(tables, "dcom-released-called")
    assert ("dcom-released-called" in accused(tables)) == (verdict[0] == "violation")


def test_references_of_another_client_are_its_own(tmp_path: Path) -> None:
    other = "connect o interface IRemoteSCMActivator from 10.0.0.6\no: RemoteCreateInstance\nclose o\n"
    tables = judged(tmp_path, OPEN + other + "RemRelease refs=[[A, 5]]\nwait 2m\n" + DENIED + CLOSE)
    assert accused(tables) == {"dcom-released-called"}


def test_what_is_sealed_may_hand_out_references(tmp_path: Path) -> None:
    sealed = "connect s interface IMSMQQueueInfo auth privacy\nalter s interface IDispatch\ns: Invoke\nclose s\n"
    tables = judged(tmp_path, OPEN + sealed + "RemRelease refs=[[A, 5]]\nwait 2m\n" + DENIED + CLOSE)
    assert accused(tables) == set()
    assert ("not_decidable", "sealed") in verdicts(tables, "dcom-released-called")


def test_a_reference_that_contradicts_another_proves_nothing(tmp_path: Path) -> None:
    script = OPEN + "GetTypeInfo -> gives=B\nInvoke -> gives=B\nInvoke object=B\n" + CLOSE
    assert accused(judged(tmp_path, script)) == set()
    assert accused(judged(tmp_path, script.replace("Invoke -> gives=B\n", ""))) == {"dcom-bound-interface"}


def test_nobody_breaks_anything_on_a_connection_that_was_not_seen_whole(tmp_path: Path) -> None:
    """A context may have been dealt anew out of sight, so that all later calls are of another interface."""
    script = (
        ACTIVATE
        + "connect interface IMSMQQueueInfo\nalter interface IClassFactory\n{}CreateInstance object=A\n"
        + CLOSE
    )
    assert accused(judged(tmp_path, script.format(""))) == {"dcom-bound-interface"}
    missed = judged(tmp_path, script.format("alter interface IDispatch lose alter,alter_resp\n"))
    assert accused(missed) == set()
    assert ("not_decidable", "bytes_missing") in verdicts(missed, "dcom-bound-interface")


def test_answers_captured_late_prove_nothing(tmp_path: Path) -> None:
    """With their call id they may be answers to older requests."""
    frames = play(OPEN + "GetTypeInfo -> iid=IDispatch\n" + CLOSE)
    write(tmp_path / "in_time.pcap", frames)
    assert accused(Local(tmp_path / "in_time.pcap").judged()) == {"dcom-reference-interface"}
    place = next(number for number, one in enumerate(frames) if one.about == "response" and one.line == 6)
    answer, taken = frames[place : place + 2]
    frames[place : place + 2] = [replace(taken, ts_us=answer.ts_us), replace(answer, ts_us=taken.ts_us)]
    write(tmp_path / "late.pcap", frames)
    assert accused(Local(tmp_path / "late.pcap").judged()) == set()


def test_more_holes_than_are_kept_in_mind_keep_from_accusing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "connect s interface IMSMQQueueInfo\nalter s interface IDispatch\ns: Invoke lost\ns: Invoke\nclose s\n"
    script = OPEN + other + "Invoke flags=1 -> fault=0x80010111\n" + CLOSE
    assert accused(judged(tmp_path, script)) == {"dcom-orpcthis-flags"}
    monkeypatch.setattr(sight, "MAX_NOTED", 1)
    assert ("not_decidable", "limit") in verdicts(judged(tmp_path, script), "dcom-orpcthis-flags")


def test_objects_are_still_told(tmp_path: Path) -> None:
    tables = judged(tmp_path, OPEN + "Invoke -> gives=B\nRemRelease refs=[[A, 5], [B, 5]]\n" + CLOSE)
    ends = {one["ipid"]: row["end"] for row in tables["com_objects"] for one in row["interfaces"]}
    assert (ends[handle("A")], ends[handle("B")]) == ("released", "released")
    assert [row["member"] for row in tables["com_calls"]] == [None, "RemRelease"]
