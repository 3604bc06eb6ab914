"""Names and types of properties, against the interface and the specification."""

from __future__ import annotations

import re

import pytest

from decoders.interfaces.qmmgmt import MgmtObjectType
from decoders.msmq.directory_properties import DIRECTORY_PROPERTIES, directory_property_name
from decoders.msmq.properties import PROPERTIES, property_name
from decoders.msmq.variants import vt_number
from tests.decoders.interfaces import specifications

MACHINE, QUEUE, SESSION = (number for _, number in MgmtObjectType.members)


@pytest.mark.parametrize(
    ("object_type", "propid", "name", "vt"),
    [
        (MACHINE, 1, "PROPID_MGMT_MSMQ_ACTIVEQUEUES", 0x101F),
        (QUEUE, 1, "PROPID_MGMT_QUEUE_PATHNAME", 31),
        (MACHINE, 6, "PROPID_MGMT_MSMQ_BYTES_IN_ALL_QUEUES", 20),
        (QUEUE, 6, "PROPID_MGMT_QUEUE_FOREIGN", 31),
        (QUEUE, 13, "PROPID_MGMT_QUEUE_EOD_LAST_ACK", 65),
        (QUEUE, 25, "PROPID_MGMT_QUEUE_CONNECTION_HISTORY", 0x100C),
        (MACHINE, 7, None, None),
        (QUEUE, 0, None, None),
        (QUEUE, 28, None, None),
        (SESSION, 1, None, None),
    ],
)
def test_the_object_decides_what_a_number_means(
    object_type: int, propid: int, name: str | None, vt: int | None
) -> None:
    assert property_name(object_type, propid) == name
    entry = PROPERTIES.get((object_type, propid))
    assert (entry and entry.vt) == vt


def test_only_texts_have_a_list_of_values() -> None:
    assert {entry.vt_name for entry in PROPERTIES.values() if entry.values} == {"VT_LPWSTR"}


@specifications.needed
def test_the_specification_says_the_same() -> None:
    text = specifications.text_of("MS-MQMQ")
    listed = set()
    for section, name, body in re.findall(
        r"^#### (2\.3\.\d+\.\d+) (PROPID_\w+)\n(.*?)(?=^#|^<a id)", text, re.MULTILINE | re.DOTALL
    ):
        value = re.search(r"^Value: (\d+)", body, re.MULTILINE)
        kind = re.search(r"^Variant type: (.*)$", body, re.MULTILINE)
        assert value
        assert kind
        names = "|".join(re.findall(r"VT_\w+", kind[1]))
        texts = frozenset(re.findall(r'^\| "([^"]+)" \|', body, re.MULTILINE))
        listed.add((section, name, int(value[1]), vt_number(names), texts))
    ours = {
        (entry.section, entry.name, entry.propid, entry.vt, frozenset(entry.values) - {"LOCKED"})
        for entry in (*PROPERTIES.values(), *DIRECTORY_PROPERTIES.values())
    }
    assert ours == listed


@specifications.needed
def test_the_specification_gives_numbers_the_same_names() -> None:
    text = specifications.text_of("MS-MQMQ")
    for entry in DIRECTORY_PROPERTIES.values():
        body = re.search(rf"^#### {re.escape(entry.section)} .*?(?=^#|^<a id)", text, re.MULTILINE | re.DOTALL)
        assert body
        for number, name in entry.meanings.items():
            row = rf"^\|(?=.*\b(?:0x0*{number:X}|{number})\b).*\b{name}\b"
            if name.isupper():
                assert re.search(row, body[0], re.MULTILINE), (entry.name, number, name)


@pytest.mark.parametrize(
    ("propid", "name", "vt"),
    [
        (101, "PROPID_Q_INSTANCE", 72),
        (1102, "PROPID_Q_OBJ_SECURITY", 65),
        (222, "PROPID_QM_SITE_IDS", 0x1048),
        (5405, "PROPID_MQU_DIGEST", 0x1048),
        (1404, "PROPID_D_OBJTYPE", 17),
        (1, None, None),
        (120, None, None),
    ],
)
def test_any_other_property_is_known_by_its_number(propid: int, name: str | None, vt: int | None) -> None:
    assert directory_property_name(propid) == name
    entry = DIRECTORY_PROPERTIES.get(propid)
    assert (entry and entry.vt) == vt


def test_numbers_of_management_are_no_others() -> None:
    assert {propid for _, propid in PROPERTIES} & DIRECTORY_PROPERTIES.keys() == set()


def test_only_numbers_have_names_for_their_values() -> None:
    kinds = {entry.vt_name for entry in DIRECTORY_PROPERTIES.values() if entry.meanings}
    assert kinds == {"VT_UI1", "VT_UI4"}
