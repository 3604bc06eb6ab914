"""Names and types of properties, against the interface and the specification."""

from __future__ import annotations

import re

import pytest

from decoders.interfaces.qmmgmt import MgmtObjectType
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
        r"^#### (2\.3\.1[12]\.\d+) (PROPID_\w+)\n(.*?)(?=^#|^<a id)", text, re.MULTILINE | re.DOTALL
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
        for entry in PROPERTIES.values()
    }
    assert ours == listed
