"""tshark reads the same in the activations of real captures."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from typing import TYPE_CHECKING

from decoders.ndr.model import Direction
from tests.decoders.dcom import told
from tests.decoders.dcom.captured import needed
from tests.tools import need

if TYPE_CHECKING:
    from pathlib import Path

    from tests.decoders.dcom.captured import Stub

pytestmark = needed

_PROPERTIES = "isystemactivator.properties."
ASKED = ("dcom.this.uuid", f"{_PROPERTIES}instninfo.clsid", f"{_PROPERTIES}instninfo.iid", f"{_PROPERTIES}si.ci.name")
ANSWERED = (
    f"{_PROPERTIES}scmresp.oxid",
    f"{_PROPERTIES}scmresp.rmtunknid",
    "dcom.oxid",
    "dcom.oid",
    "dcom.ipid",
    "dcom.dualstringarray.network_addr",
)


def fields(path: Path, names: tuple[str, ...]) -> dict[int, list[list[str]]]:
    """By frame: the values of each field."""
    chosen = [argument for name in ("frame.number", *names) for argument in ("-e", name)]
    command = [need("tshark"), "-n", "-r", str(path), "-Y", "isystemactivator", "-T", "fields", *chosen]
    # A character that is in no address.
    output = subprocess.run([*command, "-E", "aggregator=|"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in output.splitlines():
        frame, *values = line.split("\t")
        found[int(frame)] = [value.split("|") if value else [] for value in values]
    return found


def by_capture(direction: Direction) -> dict[Path, list[Stub]]:
    found: dict[Path, list[Stub]] = defaultdict(list)
    for stub in told.activations(direction):
        found[stub.path].append(stub)
    return found


def test_what_activations_ask() -> None:
    for path, stubs in by_capture(Direction.IN).items():
        theirs = fields(path, ASKED)
        for stub in stubs:
            ours = told.asked(stub)
            assert theirs[stub.frame] == [[ours.cid], [ours.clsid], list(ours.iids), [ours.server]]


def test_what_activations_answer() -> None:
    for path, stubs in by_capture(Direction.OUT).items():
        theirs = fields(path, ANSWERED)
        for stub in stubs:
            ours = told.answered(stub)
            oxid, unknown, *references, addresses = theirs[stub.frame]
            assert (oxid, unknown) == ([f"{ours.oxid:#018x}"], [ours.rem_unknown])
            assert references == [
                [f"{one.oxid:#018x}" for one in ours.references],
                [f"{one.oid:#018x}" for one in ours.references],
                [one.ipid for one in ours.references],
            ]
            told_here = [text for one in ours.references for _, text in one.bindings]
            told_here += [text for _, text in ours.bindings]
            assert addresses == told_here
