"""MSMQ's COM objects, written as IDL, against the IDL of [MC-MQAC]; that against the document's text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from decoders.dcom.classes import MSMQ_CLASSES
from decoders.interfaces import IMPORTED
from decoders.interfaces.connection_points import INTERFACES as CONNECTION_POINTS
from decoders.interfaces.mqac import INTERFACES, enumerations
from decoders.interfaces.mqac.members import interface_of_class
from decoders.ndr.idl import interface_idl
from decoders.ndr.model import Enum
from decoders.registry import BY_NAME
from decoders.status import status_name
from tests.decoders.interfaces import specifications
from tests.decoders.interfaces.idl_text import Idl, reduced, reduced_file
from tests.decoders.interfaces.test_idl import Difference

if TYPE_CHECKING:
    from decoders.ndr.model import Interface

KEPT = Path(__file__).parents[3] / "data" / "mqac" / "mqac.idl"
_COCLASS = re.compile(r"\[\s*uuid\(([^)]*)\)[^\]]*\]\s*coclass (\w+) \{([^}]*)\};?")
_DISPINTERFACE = re.compile(r"\[[^\]]*\]\s*dispinterface (\w+) \{\s*properties:\s*methods:([^}]*)\};")
_ENUM = re.compile(r"^enum (\w+) ?\{([^}]*)\};?$", re.MULTILINE)
_INTERFACE = re.compile(r"\[([^\]]*)\]\s*interface (\w+) : (\w+)\s*\{(.*?)^\};?$", re.DOTALL | re.MULTILINE)

_TYPE_LIBRARY = "an attribute for type libraries"
_PUTREF = "the revision table of 3.17.4.1 has propputref, as every other put of an object is"
DIFFERENCES = (
    Difference("[ hidden, propput ]", "[ propput ]", _TYPE_LIBRARY),
    Difference("[ restricted ] HRESULT", "HRESULT", _TYPE_LIBRARY),
    Difference("( )", "( void )", "the same"),
    *(
        Difference(
            f"[ propput ] HRESULT {name}QueueInfo_{old} (", f"[ propputref ] HRESULT {name}QueueInfo_{old} (", _PUTREF
        )
        for name in ("Response", "Admin")
        for old in ("v1", "v2")
    ),
)
NO_ARGUMENTS = {
    "MQMSGIDSIZE": "lengths",
    "MQMSGMAX": "lengths",
    "MQMAX": "lengths",
    "MQDEFAULT": "defaults",
    "MQERROR": "decoders.status has them",
    "MQWARNING": "decoders.status has them",
}
"""Enumerations that no argument has values of."""


@cache
def document() -> dict[str, tuple[str, str, Idl]]:
    """Of each interface its attributes, its base and what it declares."""
    text = KEPT.read_text()
    text = _ENUM.sub("", _COCLASS.sub("", text))
    text = re.sub(r"typedef enum\s*\{[^}]*\} XACTTC;", "", text)
    return {
        found[2]: (found[1], found[3], reduced_file(f"[ a ] interface {found[2]} {{{found[4]}}}")[found[2]])
        for found in _INTERFACE.finditer(text)
    }


def explained(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_explained(text) for text in texts)


def _explained(text: str) -> str:
    for difference in DIFFERENCES:
        text = text.replace(difference.specified, difference.ours)
    return text


def rendered(interface: Interface) -> Idl:
    return reduced(re.sub(rf"\s*: {interface.base}$", "", interface_idl(interface, IMPORTED), flags=re.MULTILINE))


DECLARED = [one for one in INTERFACES if one.name != "_DMSMQEventEvents"]


@pytest.mark.parametrize("interface", DECLARED, ids=lambda interface: interface.name)
def test_declarations_say_what_the_document_says(interface: Interface) -> None:
    attributes, base, specified = document()[interface.name]
    assert (interface.uuid, interface.base) == (re.findall(r"uuid\(([^)]*)\)", attributes)[0].lower(), base)
    assert rendered(interface).operations == explained(specified.operations)
    assert len(interface.operations) == len(specified.operations)


def test_the_sink_of_events_is_the_documents() -> None:
    """A dispinterface: methods with their DISPIDs and without HRESULT."""
    (found,) = _DISPINTERFACE.finditer(KEPT.read_text())
    interface = next(one for one in INTERFACES if one.name == found[1])
    shown = re.sub(r"\[id\(\d+\)\]", "", found[2])
    specified = reduced_file(f"[ a ] interface {found[1]} {{{shown}}}")[found[1]].operations
    assert rendered(interface).operations == specified
    numbers = [int(number) for number in re.findall(r"\[id\((\d+)\)\]", found[2])]
    assert [one.automation.dispid for one in interface.operations if one.automation] == numbers


def test_every_interface_of_the_document_is_declared() -> None:
    named = set(document()) | {found[1] for found in _DISPINTERFACE.finditer(KEPT.read_text())}
    assert named == {one.name for one in INTERFACES} | {one.name for one in CONNECTION_POINTS}
    assert len(named) == 48


def test_structures_are_the_documents() -> None:
    text = KEPT.read_text()
    specified = reduced(text[text.index("typedef struct BOID") : text.index("typedef enum")]).types
    transaction = next(one for one in INTERFACES if one.name == "ITransaction")
    ours = [one for one in rendered(transaction).types if "XACTTC" not in one]
    assert ours == list(specified)


def _valued(written: str) -> tuple[tuple[str, int], ...]:
    value, members = -1, []
    for member in filter(None, (one.strip() for one in written.split(","))):
        name, _, number = (part.strip() for part in member.partition("="))
        value = int(number, 0) if number else value + 1
        members.append((name, value))
    return tuple(members)


def test_enumerations_are_the_documents() -> None:
    text = KEPT.read_text()
    specified = {found[1]: _valued(found[2]) for found in _ENUM.finditer(text)}
    found = re.search(r"typedef enum\s*\{([^}]*)\} XACTTC;", text)
    assert found
    specified["XACTTC"] = _valued(found[1])
    ours = {one.name: one.members for one in vars(enumerations).values() if isinstance(one, Enum)}
    assert ours == {name: members for name, members in specified.items() if name not in NO_ARGUMENTS}
    assert specified.keys() >= NO_ARGUMENTS.keys()
    used = {
        one.values.name
        for interface in INTERFACES
        for each in interface.operations
        for one in each.parameters
        if one.values
    }
    assert used == ours.keys()


def test_errors_have_the_documents_names() -> None:
    text = KEPT.read_text()
    listed = {name: found for found in _ENUM.finditer(text) if (name := found[1]) in ("MQERROR", "MQWARNING")}
    codes: dict[int, set[str]] = {}
    for found in listed.values():
        for name, code in _valued(found[2]):
            codes.setdefault(code, set()).add(name)
    assert len(codes) > 120
    for interface in ("IMSMQQueue4", "IDispatch"):
        assert {code for code, names in codes.items() if status_name(code, interface) not in names} == set()


def test_classes_are_the_documents() -> None:
    found = {one[1].lower(): one[2] for one in _COCLASS.finditer(KEPT.read_text())}
    assert found == MSMQ_CLASSES
    for one in _COCLASS.finditer(KEPT.read_text()):
        (default,) = re.findall(r"\[default\]\s*interface (\w+)", one[3])
        assert interface_of_class(one[2]) == BY_NAME[default].uuid


def test_no_difference_is_stale() -> None:
    whole = [text for _, _, idl in document().values() for text in idl.operations]
    for difference in DIFFERENCES:
        assert any(difference.specified in text for text in whole), difference


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda interface: interface.name)
def test_numbers_without_id_are_their_places(interface: Interface) -> None:
    """MIDL's own numbers for what has no [id]; a property's get and put have one."""
    dispids: dict[str, set[int]] = {}
    for one in filter(None, (each.automation for each in interface.operations)):
        dispids.setdefault(one.member, set()).add(one.dispid)
    assert all(len(numbers) == 1 for numbers in dispids.values())
    numbers = [number for found in dispids.values() for number in found]
    assert len(set(numbers)) == len(numbers)


@specifications.needed
def test_the_kept_text_is_the_documents() -> None:
    text = specifications.text_of("MC-MQAC")
    section = text.split("\n# 6 Appendix A: Full IDL\n", 1)[1].split("\n<a id=", 1)[0]
    assert section[section.index("import ") :].split() == KEPT.read_text().split()


@specifications.needed
@pytest.mark.parametrize("interface", INTERFACES, ids=lambda interface: interface.name)
def test_sections_and_opnums_are_the_documents(interface: Interface) -> None:
    text = specifications.text_of("MC-MQAC")
    for operation in interface.operations:
        listed = re.search(rf"^ *- \[{re.escape(operation.section)} ([^\]]*)\]", text, re.MULTILINE)
        assert listed, operation.section
        said = re.fullmatch(r"(?:\w+::)?(\w+) ?\(Opnum (\d+)\)", listed[1])
        assert said, listed[1]
        assert int(said[2]) == operation.opnum
