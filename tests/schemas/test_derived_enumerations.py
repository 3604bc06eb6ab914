"""Numbers of MSMQ's COM objects have the names of their enumerations."""

from __future__ import annotations

from typing import Any

import pytest

from decoders.interfaces import INTERFACES
from decoders.registry import BY_NAME
from schemas.tables.derived import derived_columns


def names(interface: str, name: str, request: dict[str, Any], response: dict[str, Any]) -> dict[str, str | None]:
    declared = INTERFACES[BY_NAME[interface].uuid]
    operation = next(one for one in declared.operations if one.name == name)
    return {one.column.name: one.of(request, response) for one in derived_columns(declared, operation)}


def test_numbers_of_an_open() -> None:
    told = names("IMSMQQueueInfo4", "Open", {"Access": 0xA0, "ShareMode": 1}, {})
    assert told == {"Access_name": "MQ_PEEK_ACCESS|MQ_ADMIN_ACCESS", "ShareMode_name": "MQ_DENY_RECEIVE_SHARE"}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"vt": 3, "type": "VT_I4", "value": "3"}, "MQ_SINGLE_MESSAGE"),
        ({"vt": 3, "type": "VT_I4", "value": "-1"}, None),
        ({"vt": 10, "type": "VT_ERROR", "value": "0x80020004"}, None),
        ({"vt": 9, "type": "VT_DISPATCH", "value": "object reference of 8 bytes"}, None),
        ({"vt": 0, "type": "VT_EMPTY", "value": None}, None),
        (None, None),
    ],
)
def test_a_variant_may_stand_for_a_name(value: dict[str, Any] | None, name: str | None) -> None:
    assert names("IMSMQQueue4", "Receive", {"Transaction": value}, {}) == {"Transaction_name": name}


def test_what_comes_back_has_a_name_too() -> None:
    told = names("IMSMQMessage4", "get_Class", {}, {"plClass": 0xC001, "return_value": 0})
    assert told == {"plClass_name": "MQMSG_CLASS_NACK_Q_PURGED"}
    assert names("IMSMQMessage4", "get_Ack", {}, {"plAck": 0x0E}) == {"plAck_name": "MQMSG_ACKNOWLEDGMENT_FULL_RECEIVE"}
    assert names("IMSMQMessage4", "get_Ack", {}, {"plAck": 0x10}) == {"plAck_name": None}
    assert names("IMSMQMessage4", "get_Ack", {}, {}) == {"plAck_name": None}
    assert names("IMSMQMessage4", "get_Label", {}, {}) == {}
