"""What a message object takes and tells: [MC-MQAC] 3.17.4.1.1 to 3.17.4.1.78."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from tests.conforming.stage import Value

NULL_GUID: Final = text("{00000000-0000-0000-0000-000000000000}")
_ILLEGAL: Final = "MQ_ERROR_ILLEGAL_PROPERTY_VALUE"
_IN_BRACES: Final = re.compile(r'"\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}"')
_LONGEST_LABEL: Final = 249
_QUOTES: Final = 2
_NO_BODIES: Final = ("[10, ", "[1, ", "[12, ")
"""VT_ERROR, VT_NULL, VT_VARIANT: 3.17.4.1.22 has none of them."""


class Property(NamedTuple):
    argument: str
    usual: Value
    """Before it is put."""
    allowed: Container[int] | None = None
    """None: any."""


PUTS: Final[Mapping[str, Property]] = {
    "Label": Property("bstrLabel", text("")),
    "Body": Property("varBody", 0),
    "Priority": Property("lPriority", 3, range(8)),
    "Delivery": Property("lDelivery", 0, (0, 1)),
    "AppSpecific": Property("lAppSpecific", 0),
    "Ack": Property("lAck", 0, range(16)),
    "Journal": Property("lJournal", 0, range(4)),
    "PrivLevel": Property("lPrivLevel", 0, (0, 1, 3)),
    "AuthLevel": Property("lAuthLevel", 0, (0, 1, 2, 4, 8)),
    "Trace": Property("lTrace", 0, (0, 1)),
    "MaxTimeToReachQueue": Property("lMaxTimeToReachQueue", -1),
    "MaxTimeToReceive": Property("lMaxTimeToReceive", -1),
    "ConnectorTypeGuid": Property("bstrGuidConnectorType", text("")),
    "MsgClass": Property("lMsgClass", 0),
    "AuthenticationProviderType": Property("lAuthProvType", 1),
    "AuthenticationProviderName": Property("bstrAuthProvName", text("Microsoft Base Cryptographic Provider v1.0")),
}
TOLD: Final = ("Label", "Priority", "Delivery", "AppSpecific", "Ack", "Journal", "PrivLevel", "Trace")
"""That any message tells, whatever read it."""


def refused(name: str, value: Value) -> str | None:
    """The status with which a value that there is not is refused."""
    allowed = PUTS[name].allowed
    if allowed is not None and value not in allowed:
        return _ILLEGAL
    if name == "Label" and len(str(value)) > _LONGEST_LABEL + _QUOTES:
        return "0xC00E005D"
    if name == "Body" and str(value).startswith(_NO_BODIES):
        return "0x80070057"
    if name == "ConnectorTypeGuid" and not _IN_BRACES.fullmatch(str(value)):
        return _ILLEGAL
    return None


def unsendable(put: Mapping[str, Value]) -> str | None:
    """3.17.4.1.48: what only connectors set, and half a provider."""
    of_connectors = {"MsgClass", "AuthenticationProviderName"} & put.keys()
    if of_connectors and put.get("ConnectorTypeGuid", NULL_GUID) == NULL_GUID:
        return "0xC00E0055"
    if put.get("AuthenticationProviderName") == text("") and put.get("AuthenticationProviderType") != 0:
        return "0xC00E003F"
    return None
