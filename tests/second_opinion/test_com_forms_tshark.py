"""tshark reads what real traffic at hand lacks as we write it: arrays, extensions, calls of big-endian hosts."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any, Final, get_args

import pytest

from decoders.ndr.interpreter import ByteOrder
from decoders.oaut.building import bstr, safearray, variant
from decoders.oaut.names import VT
from decoders.oaut.variant import VT_ARRAY
from tests.builders import com_values as c
from tests.builders.com_talk import ComTalk
from tests.pipelines.com import story as s
from tests.tools import need

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = pytest.mark.parametrize("order", get_args(ByteOrder))
CONTEXT: Final = "00000334-0000-0000-c000-000000000046"
_FIELD: Final = re.compile(r"^\s+(VT_\w+|Features|ElementSize|LowBound|Extension Id|Args): (.*)$", re.MULTILINE)


def read(folder: Path, order: ByteOrder, *arguments: c.Values, **more: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - of orpc
    """Fields of tshark, in order, of an Invoke and its answer."""
    need("tshark")
    talk = ComTalk(s.EXPORTER_ENDS, order).bind(c.DISPATCH)
    talk.orpc(c.DISPATCH, "Invoke", c.ipid(1), c.invoked(7, *arguments), c.returned(), **more)
    path = s.written(folder / "forms.pcap", talk.frames)
    command = ["tshark", "-r", str(path), "-o", "tcp.try_heuristic_first:TRUE", "-Y", "dcom", "-V"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [(name, value.strip('"')) for name, value in _FIELD.findall(said)]


@pytest.mark.parametrize(
    ("element", "values", "shown"),
    [
        ("VT_UI1", [1, 2, 127], "VT_I1"),
        ("VT_I2", [1, 2, -3], "VT_I2"),
        ("VT_I4", [1, -2, 70_000], "VT_I4"),
    ],
)
def test_arrays_of_numbers(tmp_path: Path, element: str, values: list[int], shown: str) -> None:
    made = safearray(element, values, lower_bound=1)
    found = read(tmp_path, "<", variant(VT_ARRAY | VT[element], made))
    assert [int(value) for name, value in found if name == shown] == values
    assert ("LowBound", "1") in found
    assert ("ElementSize", str(made["cbElements"])) in found


def test_arrays_of_texts(tmp_path: Path) -> None:
    made = safearray("VT_BSTR", [bstr("one"), bstr("three")])
    found = read(tmp_path, "<", variant(VT_ARRAY | VT["VT_BSTR"], made))
    assert {value for name, value in found if name == "VT_BSTR"} == {"one", "three"}
    assert ("Features", f"{made['fFeatures']:#06x}") in found


def test_values_are_little_endian_in_a_call_of_a_big_endian_host(tmp_path: Path) -> None:
    """[MS-OAUT] 2.2.29: tshark reads them in the order of the call, and finds no such type."""
    found = read(tmp_path, ">", variant(VT["VT_I4"], 7))
    assert ("Args", "1") in found
    assert ("VT_I4", "7") not in found


@ORDERS
@pytest.mark.parametrize(("octets", "fits"), [(16, True), (10, False)])
def test_extensions(tmp_path: Path, octets: int, order: ByteOrder, *, fits: bool) -> None:
    """Its data is padded to 8 ([MS-DCOM] 2.2.21.1). tshark goes on behind what is used of it, rounded up to 4."""
    asked, told = c.extension(CONTEXT, bytes(octets)), c.error_extension("source", "description")
    found = read(tmp_path, order, variant(VT["VT_I4"], 7), this=c.this(extensions=asked), that=c.that(extensions=told))
    assert next(value for name, value in found if name == "Extension Id") == CONTEXT
    assert (("Args", "1") in found) is fits
