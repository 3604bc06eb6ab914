"""Names of classes and interfaces, against the documents and the other projects that name them."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest
from impacket.dcerpc.v5 import dcomrt
from impacket.dcerpc.v5.dcom import comev, oaut, scmp, vds, wmi

from decoders.dcom.activation_properties import PROPERTIES
from decoders.dcom.classes import (
    CLASSES,
    COM_INTERFACES,
    MSMQ_CLASSES,
    REMOTE_EXECUTION_CLASSES,
    class_name,
    com_interface_name,
)
from decoders.dcom.orpc import CONTEXT_EXTENSION, ERROR_EXTENSION
from decoders.ndr.model import Direction
from decoders.registry import REGISTRY
from tests.decoders.dcom import captured, told
from tests.decoders.interfaces import specifications

_ROW = re.compile(r"^\| (?:\[\*\*)?(Coclass|RPC)[^|]* for \[?(\w+)\]?[^|]*\| ([0-9a-fA-F-]{35,36}) \|", re.MULTILINE)
_ASSIGNED = re.compile(r"^\| (CLSID|IID)_(\w+) (?:\| )?\{([0-9a-fA-F-]{36})\}", re.MULTILINE)


def test_a_name_and_none() -> None:
    assert class_name("d7d6e07c-dccd-11d0-aa4b-0060970debae") == "MSMQQueueInfo"
    assert com_interface_name("00020400-0000-0000-c000-000000000046") == "IDispatch"
    assert com_interface_name("d7d6e076-dccd-11d0-aa4b-0060970debae") == "IMSMQQueue"
    assert com_interface_name("000001a0-0000-0000-c000-000000000046") == "IRemoteSCMActivator"
    assert class_name("00020400-0000-0000-c000-000000000046") is None
    assert com_interface_name("d7d6e07c-dccd-11d0-aa4b-0060970debae") is None


def test_uuids_are_written_as_everywhere_and_belong_to_one_table() -> None:
    for table in (CLASSES, COM_INTERFACES):
        for identifier in table:
            assert str(uuid.UUID(identifier)) == identifier
        assert len(set(table.values())) == len(table)
    assert not COM_INTERFACES.keys() & REGISTRY.keys()
    assert CLASSES.keys() & COM_INTERFACES.keys() == {"0000002f-0000-0000-c000-000000000046"}
    assert not MSMQ_CLASSES.keys() & REMOTE_EXECUTION_CLASSES.keys()


@specifications.needed
def test_message_queuing_has_the_same_classes() -> None:
    text = specifications.text_of("MC-MQAC")
    section = text[text.index("\n## 1.9 Standards Assignments") : text.index("\n# 2 Messages")]
    listed = {found[2].lower(): found[1] for found in _ROW.findall(section) if found[0] == "Coclass"}
    # The table lacks the last digit of one, which section 6 has.
    cut = "eba96b18-2168-11d3-898c-00e02c074f6"
    assert f"uuid({cut}b)," in text
    listed[f"{cut}b"] = listed.pop(cut)
    assert listed == MSMQ_CLASSES


@specifications.needed
@pytest.mark.parametrize("document", ["MS-DCOM", "MS-OAUT"])
def test_the_document_assigns_the_same(document: str) -> None:
    """Each that it assigns and we name has the same name."""
    found = _ASSIGNED.findall(specifications.text_of(document))
    assert len(found) >= 7
    extensions = {ERROR_EXTENSION: "ERROR_EXTENSION", CONTEXT_EXTENSION: "CONTEXT_EXTENSION"}
    properties = {clsid: known.name for clsid, known in PROPERTIES.items()}
    named = 0
    for kind, name, identifier in found:
        ours = [com_interface_name(identifier.lower())] if kind == "IID" else []
        if kind == "CLSID":
            ours = [table.get(identifier.lower()) for table in (CLASSES, properties, extensions)]
        told_names = [one for one in ours if one is not None]
        named += bool(told_names)
        assert not told_names or name in told_names
    assert named >= len(found) - 1


def test_impacket_has_the_same() -> None:
    theirs: dict[str, str] = {}
    for module in (dcomrt, oaut, wmi, comev, scmp, vds):
        for name, value in vars(module).items():
            kind, _, rest = name.partition("_")
            if kind in ("CLSID", "IID") and isinstance(value, bytes):
                theirs[rest] = str(uuid.UUID(bytes_le=value[:16]))
    compared = {name: identifier for identifier, name in (CLASSES | COM_INTERFACES).items() if name in theirs}
    # impacket gives one name to a class and to an interface.
    compared.pop("ShadowCopyProvider", None)
    assert len(compared) >= 28
    for name, identifier in compared.items():
        assert theirs[name] == identifier


@pytest.mark.parametrize("name", ["MMC20.Application", "ShellWindows", "ShellBrowserWindow"])
def test_impackets_program_activates_the_same(name: str) -> None:
    program = Path(dcomrt.__file__).parents[6] / "bin" / "dcomexec.py"
    if not program.is_file():
        pytest.skip("impacket's programs are not there")
    listed = re.search(rf"{re.escape(name)} \(([0-9A-F-]{{36}})\)", program.read_text())
    assert listed
    assert CLASSES[listed[1].lower()] == name


@captured.needed
def test_every_class_and_interface_of_the_real_activations_has_a_name() -> None:
    asked = [told.asked(stub) for stub in told.activations(Direction.IN)]
    assert {class_name(one.clsid) for one in asked} == {
        "MMC20.Application",
        "Excel.Application",
        "InternetExplorer.Application",
        "WbemLevel1Login",
    }
    assert {com_interface_name(iid) for one in asked for iid in one.iids} == {"IClassFactory", "IWbemLevel1Login"}
