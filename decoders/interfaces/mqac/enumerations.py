"""Enumerations of [MC-MQAC] section 6 and 2.2.2. Its arguments are plain numbers: these are what they mean."""

from __future__ import annotations

from functools import cache
from typing import Final

from decoders.ndr.model import Enum


def _enum(name: str, *members: tuple[str, int]) -> Enum:
    return Enum(name, members, tag=name)


MQCALG = _enum(
    "MQCALG",
    ("MQMSG_CALG_MD2", 0x8001),
    ("MQMSG_CALG_MD4", 0x8002),
    ("MQMSG_CALG_MD5", 0x8003),
    ("MQMSG_CALG_SHA", 0x8004),
    ("MQMSG_CALG_SHA1", 0x8004),
    ("MQMSG_CALG_MAC", 0x8005),
    ("MQMSG_CALG_RSA_SIGN", 0x2400),
    ("MQMSG_CALG_DSS_SIGN", 0x2200),
    ("MQMSG_CALG_RSA_KEYX", 0xA400),
    ("MQMSG_CALG_DES", 0x6601),
    ("MQMSG_CALG_RC2", 0x6602),
    ("MQMSG_CALG_RC4", 0x6801),
    ("MQMSG_CALG_SEAL", 0x6802),
)
MQTRANSACTION = _enum(
    "MQTRANSACTION",
    ("MQ_NO_TRANSACTION", 0),
    ("MQ_MTS_TRANSACTION", 1),
    ("MQ_XA_TRANSACTION", 2),
    ("MQ_SINGLE_MESSAGE", 3),
)
RELOPS = _enum(
    "RELOPS",
    ("REL_NOP", 0),
    ("REL_EQ", 1),
    ("REL_NEQ", 2),
    ("REL_LT", 3),
    ("REL_GT", 4),
    ("REL_LE", 5),
    ("REL_GE", 6),
)
MQCERT_REGISTER = _enum(
    "MQCERT_REGISTER",
    ("MQCERT_REGISTER_ALWAYS", 1),
    ("MQCERT_REGISTER_IF_NOT_EXIST", 2),
)
MQMSGCURSOR = _enum(
    "MQMSGCURSOR",
    ("MQMSG_FIRST", 0),
    ("MQMSG_CURRENT", 1),
    ("MQMSG_NEXT", 2),
)
MQMSGCLASS = _enum(
    "MQMSGCLASS",
    ("MQMSG_CLASS_NORMAL", 0x00),
    ("MQMSG_CLASS_REPORT", 0x01),
    ("MQMSG_CLASS_ACK_REACH_QUEUE", 0x02),
    ("MQMSG_CLASS_ACK_RECEIVE", 0x4000),
    ("MQMSG_CLASS_NACK_BAD_DST_Q", 0x8000),
    ("MQMSG_CLASS_NACK_PURGED", 0x8001),
    ("MQMSG_CLASS_NACK_REACH_QUEUE_TIMEOUT", 0x8002),
    ("MQMSG_CLASS_NACK_Q_EXCEED_QUOTA", 0x8003),
    ("MQMSG_CLASS_NACK_ACCESS_DENIED", 0x8004),
    ("MQMSG_CLASS_NACK_HOP_COUNT_EXCEEDED", 0x8005),
    ("MQMSG_CLASS_NACK_BAD_SIGNATURE", 0x8006),
    ("MQMSG_CLASS_NACK_BAD_ENCRYPTION", 0x8007),
    ("MQMSG_CLASS_NACK_COULD_NOT_ENCRYPT", 0x8008),
    ("MQMSG_CLASS_NACK_NOT_TRANSACTIONAL_Q", 0x8009),
    ("MQMSG_CLASS_NACK_NOT_TRANSACTIONAL_MSG", 0x800A),
    ("MQMSG_CLASS_NACK_UNSUPPORTED_CRYPTO_PROVIDER", 0x800B),
    ("MQMSG_CLASS_NACK_SOURCE_COMPUTER_GUID_CHANGED", 0x800C),
    ("MQMSG_CLASS_NACK_Q_DELETED", 0xC000),
    ("MQMSG_CLASS_NACK_Q_PURGED", 0xC001),
    ("MQMSG_CLASS_NACK_RECEIVE_TIMEOUT", 0xC002),
    ("MQMSG_CLASS_NACK_RECEIVE_TIMEOUT_AT_SENDER", 0xC003),
)
MQMSGDELIVERY = _enum(
    "MQMSGDELIVERY",
    ("MQMSG_DELIVERY_EXPRESS", 0),
    ("MQMSG_DELIVERY_RECOVERABLE", 1),
)
MQMSGACKNOWLEDGEMENT = _enum(
    "MQMSGACKNOWLEDGEMENT",
    ("MQMSG_ACKNOWLEDGMENT_NONE", 0x00),
    ("MQMSG_ACKNOWLEDGMENT_POS_ARRIVAL", 0x01),
    ("MQMSG_ACKNOWLEDGMENT_POS_RECEIVE", 0x02),
    ("MQMSG_ACKNOWLEDGMENT_NEG_ARRIVAL", 0x04),
    ("MQMSG_ACKNOWLEDGMENT_NEG_RECEIVE", 0x08),
    ("MQMSG_ACKNOWLEDGMENT_NACK_REACH_QUEUE", 0x04),
    ("MQMSG_ACKNOWLEDGMENT_FULL_REACH_QUEUE", 0x05),
    ("MQMSG_ACKNOWLEDGMENT_NACK_RECEIVE", 0x0C),
    ("MQMSG_ACKNOWLEDGMENT_FULL_RECEIVE", 0x0E),
)
MQMSGJOURNAL = _enum(
    "MQMSGJOURNAL",
    ("MQMSG_JOURNAL_NONE", 0),
    ("MQMSG_DEADLETTER", 1),
    ("MQMSG_JOURNAL", 2),
)
MQMSGTRACE = _enum(
    "MQMSGTRACE",
    ("MQMSG_TRACE_NONE", 0),
    ("MQMSG_SEND_ROUTE_TO_REPORT_QUEUE", 1),
)
MQMSGSENDERIDTYPE = _enum(
    "MQMSGSENDERIDTYPE",
    ("MQMSG_SENDERID_TYPE_NONE", 0),
    ("MQMSG_SENDERID_TYPE_SID", 1),
)
MQMSGPRIVLEVEL = _enum(
    "MQMSGPRIVLEVEL",
    ("MQMSG_PRIV_LEVEL_NONE", 0),
    ("MQMSG_PRIV_LEVEL_BODY_BASE", 1),
    ("MQMSG_PRIV_LEVEL_BODY_ENHANCED", 3),
)
MQMSGAUTHLEVEL = _enum(
    "MQMSGAUTHLEVEL",
    ("MQMSG_AUTH_LEVEL_NONE", 0),
    ("MQMSG_AUTH_LEVEL_ALWAYS", 1),
    ("MQMSG_AUTH_LEVEL_MSMQ10", 2),
    ("MQMSG_AUTH_LEVEL_SIG10", 2),
    ("MQMSG_AUTH_LEVEL_MSMQ20", 4),
    ("MQMSG_AUTH_LEVEL_SIG20", 4),
    ("MQMSG_AUTH_LEVEL_SIG30", 8),
)
MQMSGAUTHENTICATION = _enum(
    "MQMSGAUTHENTICATION",
    ("MQMSG_AUTHENTICATION_NOT_REQUESTED", 0),
    ("MQMSG_AUTHENTICATION_REQUESTED", 1),
    ("MQMSG_AUTHENTICATED_SIG10", 1),
    ("MQMSG_AUTHENTICATION_REQUESTED_EX", 3),
    ("MQMSG_AUTHENTICATED_SIG20", 3),
    ("MQMSG_AUTHENTICATED_SIG30", 5),
    ("MQMSG_AUTHENTICATED_SIGXML", 9),
)
MQSHARE = _enum(
    "MQSHARE",
    ("MQ_DENY_NONE", 0),
    ("MQ_DENY_RECEIVE_SHARE", 1),
)
MQACCESS = _enum(
    "MQACCESS",
    ("MQ_RECEIVE_ACCESS", 0x01),
    ("MQ_SEND_ACCESS", 0x02),
    ("MQ_PEEK_ACCESS", 0x20),
    ("MQ_ADMIN_ACCESS", 0x80),
)
MQJOURNAL = _enum(
    "MQJOURNAL",
    ("MQ_JOURNAL_NONE", 0),
    ("MQ_JOURNAL", 1),
)
MQTRANSACTIONAL = _enum(
    "MQTRANSACTIONAL",
    ("MQ_TRANSACTIONAL_NONE", 0),
    ("MQ_TRANSACTIONAL", 1),
)
MQAUTHENTICATE = _enum(
    "MQAUTHENTICATE",
    ("MQ_AUTHENTICATE_NONE", 0),
    ("MQ_AUTHENTICATE", 1),
)
MQPRIVLEVEL = _enum(
    "MQPRIVLEVEL",
    ("MQ_PRIV_LEVEL_NONE", 0),
    ("MQ_PRIV_LEVEL_OPTIONAL", 1),
    ("MQ_PRIV_LEVEL_BODY", 2),
)
MQPRIORITY = _enum(
    "MQPRIORITY",
    ("MQ_MIN_PRIORITY", 0),
    ("MQ_MAX_PRIORITY", 7),
)
QUEUE_TYPE = _enum(
    "QUEUE_TYPE",
    ("MQ_TYPE_PUBLIC", 0),
    ("MQ_TYPE_PRIVATE", 1),
    ("MQ_TYPE_MACHINE", 2),
    ("MQ_TYPE_CONNECTOR", 3),
    ("MQ_TYPE_MULTICAST", 4),
)
FOREIGN_STATUS = _enum(
    "FOREIGN_STATUS",
    ("MQ_STATUS_FOREIGN", 0),
    ("MQ_STATUS_NOT_FOREIGN", 1),
    ("MQ_STATUS_UNKNOWN", 2),
)
XACT_STATUS = _enum(
    "XACT_STATUS",
    ("MQ_XACT_STATUS_XACT", 0),
    ("MQ_XACT_STATUS_NOT_XACT", 1),
    ("MQ_XACT_STATUS_UNKNOWN", 2),
)
QUEUE_STATE = _enum(
    "QUEUE_STATE",
    ("MQ_QUEUE_STATE_LOCAL_CONNECTION", 0),
    ("MQ_QUEUE_STATE_DISCONNECTED", 1),
    ("MQ_QUEUE_STATE_WAITING", 2),
    ("MQ_QUEUE_STATE_NEEDVALIDATE", 3),
    ("MQ_QUEUE_STATE_ONHOLD", 4),
    ("MQ_QUEUE_STATE_NONACTIVE", 5),
    ("MQ_QUEUE_STATE_CONNECTED", 6),
    ("MQ_QUEUE_STATE_DISCONNECTING", 7),
    ("MQ_QUEUE_STATE_LOCKED", 8),
)

XACTTC = Enum(
    "XACTTC",
    (
        ("XACTTC_NONE", 0x00),
        ("XACTTC_SYNC_PHASEONE", 0x01),
        ("XACTTC_SYNC_PHASETWO", 0x02),
        ("XACTTC_SYNC", 0x02),
        ("XACTTC_ASYNC_PHASEONE", 0x04),
        ("XACTTC_ASYNC", 0x04),
    ),
)

_MASKS: Final = {MQACCESS.name, MQMSGACKNOWLEDGEMENT.name, MQMSGJOURNAL.name, XACTTC.name}
"""Whose values are put together of bits."""


@cache
def _by_number(enumeration: Enum) -> dict[int, str]:
    """Of several names of one number the first."""
    found: dict[int, str] = {}
    for name, number in enumeration.members:
        found.setdefault(number, name)
    return found


def value_name(enumeration: Enum, number: int) -> str | None:
    """`MQ_RECEIVE_ACCESS|MQ_ADMIN_ACCESS`; None: it has none."""
    names = _by_number(enumeration)
    if number in names or enumeration.name not in _MASKS:
        return names.get(number)
    bits = {bit: name for bit, name in names.items() if bit and bit & number == bit and not bit & (bit - 1)}
    return "|".join(bits.values()) if bits and sum(bits) == number else None
