"""Format names of every kind, and of values that were only half decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.msmq.format_names import format_name
from tests.decoders.msmq.values import Value, queue_format

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (queue_format(0), None),
        (queue_format(1, m_gPublicID=GUID), f"PUBLIC={GUID}"),
        (queue_format(1, 0x81, m_gPublicID=GUID), f"PUBLIC={GUID};JOURNAL"),
        # The example of Microsoft's page on private format names.
        (queue_format(2, m_oPrivateID={"Lineage": GUID, "Uniquifier": 13}), f"PRIVATE={GUID}\\0000000d"),
        (queue_format(2, 0x81, m_oPrivateID={"Lineage": GUID, "Uniquifier": 13}), f"PRIVATE={GUID}\\0000000d;JOURNAL"),
        (queue_format(3, m_pDirectID=r"OS:srv01\private$\orders"), r"DIRECT=OS:srv01\private$\orders"),
        (queue_format(3, 0x81, m_pDirectID=r"OS:srv01\a"), r"DIRECT=OS:srv01\a;JOURNAL"),
        (queue_format(3, 0x81, m_pDirectID=r"OS:srv01\a;Journal"), r"DIRECT=OS:srv01\a;Journal"),
        (queue_format(3, 0x83, m_pDirectID=r"TCP:10.0.0.1\SYSTEM$;DEADXACT"), r"DIRECT=TCP:10.0.0.1\SYSTEM$;DEADXACT"),
        (queue_format(4, 0x82, m_gMachineID=GUID), f"MACHINE={GUID};DEADLETTER"),
        (queue_format(4, 0x83, m_gMachineID=GUID), f"MACHINE={GUID};DEADXACT"),
        (queue_format(5, m_GConnectorID=GUID), f"CONNECTOR={GUID}"),
        (queue_format(5, 0x04, m_GConnectorID=GUID), f"CONNECTOR={GUID};XACTONLY"),
        (queue_format(6, m_DlID={"m_DlGuid": GUID, "m_pwzDomain": None}), f"DL={GUID}"),
        (queue_format(6, m_DlID={"m_DlGuid": GUID, "m_pwzDomain": ""}), f"DL={GUID}"),
        (queue_format(6, m_DlID={"m_DlGuid": GUID, "m_pwzDomain": "example.org"}), f"DL={GUID}@example.org"),
        (queue_format(8, 0x05, m_pDirectSubqueueID=r"OS:a\private$\q;late"), r"DIRECT=OS:a\private$\q;late"),
        (queue_format(9), None),
        (queue_format(1), None),
        (queue_format(2, m_oPrivateID={"Lineage": GUID, "Uniquifier": None}), None),
        (queue_format(7, m_MulticastID={"m_address": None, "m_port": 1}), None),
        (queue_format(1, 0x0F, m_gPublicID=GUID), f"PUBLIC={GUID}"),
        ({"m_qft": 1, "m_gPublicID": GUID}, f"PUBLIC={GUID}"),
        ({}, None),
    ],
)
def test_each_kind_of_queue_has_its_name(value: Value, name: str | None) -> None:
    assert format_name(value) == name


@pytest.mark.parametrize(
    ("octets", "name"),
    [
        # 234.1.1.1 as a socket address: first number first.
        ("ea010102", "234.1.1.2"),
        # The other way round, which only can be meant when this way is no multicast address.
        ("020101ea", "234.1.1.2"),
        ("e00000e1", "224.0.0.225"),
        ("0a000001", "10.0.0.1"),
    ],
)
def test_a_multicast_address_is_read_from_the_end_that_makes_it_one(octets: str, name: str) -> None:
    address = int.from_bytes(bytes.fromhex(octets), "little")
    value = queue_format(7, m_MulticastID={"m_address": address, "m_port": 8001})
    assert format_name(value) == f"MULTICAST={name}:8001"


ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.dictionaries(
        st.sampled_from(["Lineage", "Uniquifier", "m_DlGuid", "m_pwzDomain", "m_address", "m_port"]), inner
    ),
    max_leaves=4,
)


@given(st.integers(-1, 10), st.none() | st.integers(0, 255), ANYTHING)
def test_any_shape_gives_a_name_or_none(kind: int, suffix: int | None, arm: object) -> None:
    value = dict.fromkeys(queue_format(0), arm) | {"m_qft": kind, "m_SuffixAndFlags": suffix}
    name = format_name(value)
    assert name is None or "=" in name
