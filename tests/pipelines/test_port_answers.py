"""Answers that say at which port an interface is: rows of `endpoints`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from decoders.interfaces import INTERFACES
from tests.builders import msmq
from tests.builders.conversations import Ends, Talk, frames, write_pcap
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

UUIDS = {interface.name: interface.uuid for interface in INTERFACES.values()}


def asked(path: Path, interface: str, opnum: int, request: dict[str, Any], port: int) -> list[dict[str, Any]]:
    talk = msmq.bound(Talk(Ends(50_000, server_port=2103)), UUIDS[interface])
    msmq.call(talk, UUIDS[interface], opnum, request, {"return_value": port}, 2)
    write_pcap(path, [one for packet in talk.packets for one in frames(talk.ends, packet)])
    found = Local(path)
    assert found.imbalances() == []
    (call,) = found.tables["calls"]
    assert (call["status"], call["decode_state"]) == (None, "full")
    return found.tables.get("endpoints", [])


@pytest.mark.parametrize(
    ("interface", "opnum", "request_values", "announced"),
    [
        ("qm2qm", 7, {"dwPortType": 0}, ["qmcomm", "qmcomm2"]),
        ("qm2qm", 7, {"dwPortType": 1}, ["qm2qm"]),
        ("qm2qm", 7, {"dwPortType": 3}, []),
        ("qmcomm", 31, {"fIP": 0}, ["qmcomm", "qmcomm2"]),
        ("qmcomm", 31, {"fIP": 1}, ["qm2qm"]),
        ("qmcomm", 31, {"fIP": 2}, []),
        ("RemoteRead", 0, {}, ["RemoteRead"]),
        ("dscomm", 27, {"fIP": 0}, []),
        ("dscomm", 27, {"fIP": 1}, ["dscomm", "dscomm2"]),
    ],
)
def test_a_port_is_announced_for_the_interfaces_asked_for(
    tmp_path: Path, interface: str, opnum: int, request_values: dict[str, Any], announced: list[str]
) -> None:
    rows = asked(tmp_path / "one.pcap", interface, opnum, request_values, 49_700)
    assert [row["endpoint"] for row in rows] == announced
    assert {(row["host"], row["port"], row["protocol"]) for row in rows} <= {("10.0.0.2", 49_700, "ncacn_ip_tcp")}
    assert [row["interface_uuid"] for row in rows] == [UUIDS[name] for name in announced]


@pytest.mark.parametrize("port", [0, 65_536, 0xFFFF_FFFF])
def test_what_is_no_port_announces_nothing(tmp_path: Path, port: int) -> None:
    assert asked(tmp_path / "one.pcap", "RemoteRead", 0, {}, port) == []
