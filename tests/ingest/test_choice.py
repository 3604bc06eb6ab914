"""Which connections are kept and why; which end is the client and by what evidence."""

from __future__ import annotations

import pytest

from decoders.dcerpc.recogniser import Recogniser
from decoders.dcerpc.well_known import INTERFACES, MSMQ, OURS
from decoders.tcp.model import Side
from ingest.choice import HINDSIGHT_NS, Choice, ChosenBy, DecidedBy, Scope, client_of

QM2QM = "1088a980-eae5-11d0-8d9b-00a02453c337"
SAMR = "12345778-1234-abcd-ef00-0123456789ac"
LOW, HIGH = (b"\x0a\0\0\1", 50_000), (b"\x0a\0\0\2", 49_664)
KNOWN = (b"\x0a\0\0\2", 2_103)


def seen(*interfaces: str, pdus: int = 1, binder: Side | None = None, requester: Side | None = None) -> Recogniser:
    recogniser = Recogniser()
    recogniser.pdus, recogniser.interfaces = pdus, list(interfaces)
    recogniser.binder, recogniser.requester = binder, requester
    return recogniser


@pytest.mark.parametrize(
    ("choice", "recogniser", "low", "high", "reason"),
    [
        (Choice(), seen(QM2QM), LOW, HIGH, ChosenBy.INTERFACE),
        (Choice(), seen(SAMR, QM2QM), LOW, HIGH, ChosenBy.INTERFACE),
        (Choice(), seen(QM2QM), LOW, KNOWN, ChosenBy.INTERFACE),
        (Choice(), seen(SAMR), LOW, KNOWN, ChosenBy.PORT),
        (Choice(), seen(SAMR), KNOWN, LOW, ChosenBy.PORT),
        (Choice(), seen(), LOW, (b"\x0a\0\0\2", 135), ChosenBy.PORT),
        (Choice(), seen(), LOW, (b"\x0a\0\0\2", 2_103 + 11), ChosenBy.PORT),
        (Choice(), seen(), LOW, (b"\x0a\0\0\2", 2_104), None),
        (Choice(learned={HIGH: {QM2QM: 0}}), seen(SAMR), LOW, HIGH, ChosenBy.ENDPOINT),
        (Choice(learned={LOW: {QM2QM: 0}}), seen(SAMR), LOW, HIGH, ChosenBy.ENDPOINT),
        (Choice(learned={KNOWN: {QM2QM: 0}}), seen(), LOW, KNOWN, ChosenBy.PORT),
        (Choice(learned={(HIGH[0], 1): {QM2QM: 0}}), seen(SAMR), LOW, HIGH, None),
        (Choice(learned={HIGH: {QM2QM: HINDSIGHT_NS}}), seen(SAMR), LOW, HIGH, ChosenBy.ENDPOINT),
        (Choice(learned={HIGH: {QM2QM: HINDSIGHT_NS + 1}}), seen(SAMR), LOW, HIGH, None),
        (Choice(), seen(SAMR), LOW, HIGH, None),
        (Choice(Scope.RPC), seen(SAMR), LOW, HIGH, ChosenBy.SCOPE),
        (Choice(Scope.RPC, {HIGH: {QM2QM: 0}}), seen(SAMR), LOW, HIGH, ChosenBy.SCOPE),
        (Choice(Scope.RPC), seen(QM2QM), LOW, HIGH, ChosenBy.INTERFACE),
        (Choice(Scope.RPC, {HIGH: {QM2QM: 0}}), seen(pdus=0), LOW, KNOWN, None),
    ],
)
def test_keeps_a_connection_for_the_strongest_reason(
    choice: Choice,
    recogniser: Recogniser,
    low: tuple[bytes, int],
    high: tuple[bytes, int],
    reason: ChosenBy | None,
) -> None:
    assert choice.of(recogniser, low, high, 0) is reason


def test_every_interface_of_message_queuing_is_a_reason() -> None:
    assert MSMQ.keys() <= OURS.keys() < INTERFACES.keys()
    for uuid in OURS:
        assert uuid == uuid.lower()
        assert Choice().of(seen(uuid), LOW, HIGH, 0) is ChosenBy.INTERFACE


def test_what_objects_of_any_class_have_is_none() -> None:
    for uuid in INTERFACES.keys() - OURS.keys():
        assert Choice().of(seen(uuid), LOW, HIGH, 0) is None
        assert Choice(Scope.RPC).of(seen(uuid), LOW, HIGH, 0) is ChosenBy.SCOPE


@pytest.mark.parametrize(
    ("syn", "recogniser", "ports", "first", "client"),
    [
        (Side.HIGH, seen(binder=Side.LOW, requester=Side.LOW), (50_000, 2_103), Side.LOW, (Side.HIGH, DecidedBy.SYN)),
        (Side.LOW, seen(binder=Side.HIGH), (135, 9), Side.HIGH, (Side.LOW, DecidedBy.SYN)),
        (None, seen(binder=Side.HIGH, requester=Side.LOW), (9, 135), Side.LOW, (Side.HIGH, DecidedBy.BIND)),
        (None, seen(requester=Side.HIGH), (9, 135), Side.HIGH, (Side.LOW, DecidedBy.PORT)),
        (None, seen(requester=Side.LOW), (2_103, 9), Side.LOW, (Side.HIGH, DecidedBy.PORT)),
        (None, seen(requester=Side.HIGH), (2_103, 135), Side.LOW, (Side.HIGH, DecidedBy.REQUEST)),
        (None, seen(requester=Side.LOW), (8, 9), Side.HIGH, (Side.LOW, DecidedBy.REQUEST)),
        (None, seen(), (8, 9), Side.HIGH, (Side.HIGH, DecidedBy.FIRST_PACKET)),
        (None, seen(), (135, 2_103), Side.LOW, (Side.LOW, DecidedBy.FIRST_PACKET)),
    ],
)
def test_the_best_evidence_decides_who_is_the_client(
    syn: Side | None, recogniser: Recogniser, ports: tuple[int, int], first: Side, client: tuple[Side, DecidedBy]
) -> None:
    assert client_of(syn, recogniser, *ports, first) == client
