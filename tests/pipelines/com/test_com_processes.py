"""Processes of a server: told apart by what was there at a time, at a cost that no number of them changes."""

from __future__ import annotations

import time

from pipelines.com.processes import MAX_APARTMENTS, Processes
from pipelines.facts.com import Exporter
from pipelines.facts.model import Moment
from tests.builders.com_values import ipid


def at(second: int) -> Moment:
    return Moment(second, 0, 0)


def exporter(oxid: int, *ports: int, process: str = "0000", unknown: int | None = None) -> Exporter:
    of = ipid(oxid if unknown is None else unknown).replace("0e84", process)
    return Exporter(oxid=oxid, remote_unknown=of, bindings=tuple(("10.0.0.9", port) for port in ports))


def test_an_answer_shows_that_all_of_a_process_is_there() -> None:
    told = Processes()
    told.announce(exporter(1, 5_000), at(1))
    told.announce(exporter(2, 5_000), at(2))
    assert (told.of(1).gone, told.of(2).gone) == (at(2), None)
    told.answers(told.of(1), at(2))
    assert told.of(1).gone == at(2), "it may have answered before"
    told.answers(told.of(1), at(3))
    assert (told.of(1).gone, told.of(2).gone) == (None, None)
    told.announce(exporter(3, 5_000), at(4))
    assert (told.of(1).gone, told.of(2).gone) == (at(4), at(4)), "both are one process"


def test_ports_of_their_own_end_nobody() -> None:
    told = Processes()
    for number in range(1, 5):
        told.announce(exporter(number, 5_000 + number), at(number))
    assert {told.of(number).gone for number in range(1, 5)} == {None}


def test_an_oxid_that_is_dealt_again_ends_one_apartment_only() -> None:
    told = Processes()
    told.announce(exporter(1, 5_000, process="1b30"), at(1))
    told.announce(exporter(2, 5_000, process="1b30"), at(2))
    before = told.of(1)
    assert told.announce(exporter(1, 5_001, process="2c40", unknown=99), at(3))
    assert (before.gone, told.of(1).gone, told.of(2).gone) == (at(3), None, None)


def test_many_exporters_that_end_each_other_on_and_on() -> None:
    """Whatever is announced and answers in turn."""
    told, spent = Processes(), []
    for _ in range(2):
        begun = time.process_time()
        for number in range(20_000):
            told.announce(exporter(number, 5_000, 5_001), at(number))
            told.answers(told.of(number // 2), at(number + 1))
        spent.append(time.process_time() - begun)
    assert max(spent) < 2.0
    told.announce(exporter(MAX_APARTMENTS + 1, 1), at(1))
    for number in range(MAX_APARTMENTS + 10):
        told.of(number)
    assert len(told._of_oxid) <= MAX_APARTMENTS
