"""[C706] 6.1.2: another major version of an interface of ours is another interface, whoever asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders import registry
from decoders.dcerpc import well_known
from decoders.registry import Family, Registered
from pipelines.calls import call_facts
from pipelines.facts.model import ConnectionFact
from pipelines.facts.stored_form import from_row
from tests.builders import msmq
from tests.builders.conversations import Ends, Talk, frames, write_pcap
from tests.decoders.dcerpc import pdus
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

MESSAGE = b"LIOR" * 40
NEWER = (pdus.QM2QM[0], 2, 0)
MADE_UP = ("12345678-0000-4000-8000-00000000beef", 1, 0)


def found(folder: Path, talk: Talk) -> Local:
    path = folder / "capture.pcap"
    write_pcap(path, [one for packet in talk.packets for one in frames(talk.ends, packet)])
    return Local(path)


def bound(interface: pdus.Syntax, *syntaxes: pdus.Syntax, answered: bool = True) -> Talk:
    talk = Talk(Ends(50_000, server_port=49_700)).open().say(pdus.bind((interface, syntaxes or (pdus.NDR,))))
    return msmq.receive(talk.answer(pdus.ack((0, 0, pdus.NDR))) if answered else talk, MESSAGE, 2)


def test_it_is_not_guessed_to_be_ours_where_the_transfer_syntax_is_open(tmp_path: Path) -> None:
    (call,) = found(tmp_path, bound(NEWER, pdus.NDR, pdus.NDR64, answered=False)).tables["calls"]
    assert (call["interface_version"], call["interface_source"]) == ("2.0", "bind_unanswered")
    assert (call["operation"], call["decode_state"]) == (None, "opaque")


@pytest.mark.parametrize(("interface", "ours"), [(pdus.QM2QM, True), (NEWER, False)])
def test_who_serves_it_serves_none_of_ours(tmp_path: Path, interface: pdus.Syntax, ours: bool) -> None:
    local = found(tmp_path, bound(interface))
    assert bool(local.announced) is ours
    assert any(host["serves"] == ["qm2qm"] for host in local.judged()["hosts"]) is ours
    (fact,) = [one for row in local.facts if isinstance(one := from_row(row), ConnectionFact)]
    assert fact.may_read is ours


def test_a_name_without_a_declaration_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uuid, name = MADE_UP[0], "qmcomm3"
    monkeypatch.setitem(registry.REGISTRY, uuid, Registered(uuid, name, (1, 0), Family.MSMQ, "MS-MQQP"))
    for names in (well_known.MSMQ, well_known.OURS, well_known.INTERFACES):
        monkeypatch.setitem(names, uuid, name)
    monkeypatch.setattr(call_facts, "FOLLOWED", call_facts.FOLLOWED | {name})
    local = found(tmp_path, bound(MADE_UP))
    assert [(call["interface_uuid"], call["decode_state"]) for call in local.tables["calls"]] == [(uuid, "opaque")]
    assert local.judged()["findings"] == []
