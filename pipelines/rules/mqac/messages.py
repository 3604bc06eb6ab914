"""[MC-MQAC] 3.17: properties of a message: which values are taken, and that they are kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoders.interfaces.mqac import enumerations as values
from decoders.oaut.names import VT
from decoders.oaut.variant import VT_ARRAY
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import MessageState
from pipelines.rules.model import REQUEST, RESPONSE, Broken, Level
from pipelines.rules.mqac.demands import (
    E_INVALIDARG,
    E_INVALIDARG_PRINTED,
    MQ_ERROR_ILLEGAL_PROPERTY_VALUE,
    Demand,
    doubt,
    of_client,
    of_server,
    refused,
)
from pipelines.rules.mqac.values import only_argument
from pipelines.rules.object_members import asked, gets, puts

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from decoders.ndr.model import Enum
    from pipelines.facts.com import Argument
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_MESSAGE: Final = "MSMQMessage"
_MQ_ERROR_LABEL_TOO_LONG: Final = 0xC00E_005D
_MAX_LABEL: Final = 249
_UNSIGNED: Final = 0xFFFF_FFFF
_GUID: Final = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_IN_BRACES: Final = re.compile(r"\{" + _GUID + r"\}")
_BODIES: Final = frozenset(
    VT[name]
    for name in (
        *("VT_I1", "VT_UI1", "VT_I2", "VT_UI2", "VT_I4", "VT_UI4", "VT_R4", "VT_R8", "VT_CY", "VT_DATE", "VT_BOOL"),
        *("VT_BSTR", "VT_UNKNOWN", "VT_DISPATCH"),
    )
) | {VT_ARRAY | VT["VT_UI1"]}
_KEPT: Final = (
    *("PrivLevel", "AuthLevel", "Delivery", "Trace", "Priority", "Journal", "AppSpecific", "Ack", "Label"),
    *("MaxTimeToReachQueue", "MaxTimeToReceive", "HashAlgorithm", "EncryptAlgorithm", "SenderIdType", "Body"),
    *("CorrelationId", "SenderCertificate", "SenderId", "Extension", "DestinationSymmetricKey", "Signature"),
    *("AuthenticationProviderType", "AuthenticationProviderName", "ConnectorTypeGuid", "MsgClass"),
)
_PADDED: Final = frozenset(("CorrelationId",))
"""20 bytes, however many were put."""
_SET_BY_SEND: Final = frozenset(
    ("MaxTimeToReceive", "MsgClass", "SenderId", "SenderCertificate", "Signature", "AuthLevel")
)
"""3.17.4.1.48."""
_KIND_OF_SENDER: Final = "SenderIdType"
_SENDER: Final = frozenset((_KIND_OF_SENDER, "SenderId"))
"""3.17.4.1.47, as it is printed, has put SenderIdType set what SenderId tells, and nothing that SenderIdType tells."""


def _numbers(enumeration: Enum) -> frozenset[int]:
    return frozenset(number for _, number in enumeration.members)


def _outside(allowed: Container[int], disputed: Container[int] = ()) -> Callable[[MqacStep], bool | Reason]:
    def holds(step: MqacStep) -> bool | Reason:
        given = only_argument(step)
        number = None if given is None else given.number
        if number is None or number in allowed:
            return False
        return Reason.TEXTS_CONTRADICT if number in disputed else True

    return holds


def _no_guid(step: MqacStep) -> bool:
    given = only_argument(step)
    return given is not None and bool(given.value) and not _IN_BRACES.fullmatch(given.value or "")


def _long(step: MqacStep) -> bool:
    given = only_argument(step)
    return given is not None and len(given.value or "") > _MAX_LABEL


def _no_body(step: MqacStep) -> bool:
    given = only_argument(step)
    return given is not None and given.vt is not None and given.vt not in _BODIES


def _same(put: Argument, told: Argument) -> bool:
    """By what is exact of both."""
    if put.number is not None and told.number is not None:
        return put.number & _UNSIGNED == told.number & _UNSIGNED
    if put.sha256 is not None and told.sha256 is not None:
        return put.sha256 == told.sha256
    return (put.value or "").lower() == (told.value or "").lower()


def _kept(step: MqacStep) -> Answer:
    state = step.state
    put = state.put.get(step.member.member) if isinstance(state, MessageState) else None
    if put is None or not isinstance(state, MessageState) or not step.succeeded:
        return None
    if state.sent is not None and step.member.member in _SET_BY_SEND:
        return None
    told = step.result
    if step.member.member in _PADDED and told is not None and told.size != put.value.size:
        return None
    if put.value.reference is not None:
        # A body that is an object is kept by what it holds: another one is made of that.
        return None
    if (told is None and not put.value.value) or (told is not None and _same(put.value, told)):
        return True
    if step.member.member in _SENDER and _KIND_OF_SENDER in state.put:
        return Reason.TEXTS_CONTRADICT
    shown = {"put": put.value.value, "told": told.value if told else None}
    return doubt(step) or Broken({**asked(step), **shown})


def _connector_form(step: MqacStep) -> Answer:
    return Broken(asked(step)) if _no_guid(step) else True


def _connector_told(step: MqacStep) -> Answer:
    told = step.result.value if step.succeeded and step.result else None
    return None if not told else (True if _IN_BRACES.fullmatch(told) else Broken({**asked(step), "told": told}))


def _transaction_id(step: MqacStep) -> Answer:
    """[MS-MQMQ] 2.2.8: 16 bytes of machine, 4 of number."""
    told = step.result
    if not step.succeeded or told is None or told.size in (None, 0):
        return None
    return True if told.size == _IDENTIFIER else Broken({**asked(step), "bytes": told.size})


_IDENTIFIER: Final = 20
_VALUES: Final = (
    ("privacy", "A privacy level", "PrivLevel", "3.17.4.1.3", _numbers(values.MQMSGPRIVLEVEL), ()),
    ("authentication", "An authentication level", "AuthLevel", "3.17.4.1.5", _numbers(values.MQMSGAUTHLEVEL), ()),
    ("delivery", "A way of delivery", "Delivery", "3.17.4.1.8", _numbers(values.MQMSGDELIVERY), ()),
    ("trace", "A tracing setting", "Trace", "3.17.4.1.10", _numbers(values.MQMSGTRACE), ()),
    ("priority", "A priority", "Priority", "3.17.4.1.12", range(8), ()),
    ("journal", "A journal setting", "Journal", "3.17.4.1.14", range(4), ()),
    (
        "acknowledgement",
        "An acknowledgement setting",
        "Ack",
        "3.17.4.1.29",
        _numbers(values.MQMSGACKNOWLEDGEMENT),
        range(16),
    ),
)
"""Of Ack other sums of its values are none of the enumeration, though its values are said to be combined."""

RULES: Final = (
    *(
        of_server(
            f"mqac-{name}-value",
            f"{what} that there is not was taken",
            section=section,
            requirement=f"Put {member} with a value that there is not is answered MQ_ERROR_ILLEGAL_PROPERTY_VALUE.",
            members=puts(_MESSAGE, member),
            check=refused(Demand(_outside(allowed, disputed), (MQ_ERROR_ILLEGAL_PROPERTY_VALUE,))),
            undecidable_when="the value is a sum of others that the enumeration does not have" if disputed else "",
        )
        for name, what, member, section, allowed, disputed in _VALUES
    ),
    of_server(
        "mqac-connector-value",
        "A connector type that is no GUID in braces was taken",
        section="3.17.4.1.54",
        requirement="Put ConnectorTypeGuid with a text that is no GUID in braces is answered "
        "MQ_ERROR_ILLEGAL_PROPERTY_VALUE.",
        members=puts(_MESSAGE, "ConnectorTypeGuid"),
        check=refused(Demand(_no_guid, (MQ_ERROR_ILLEGAL_PROPERTY_VALUE,))),
    ),
    of_client(
        "mqac-connector-form",
        "A client put a connector type that is no GUID in braces",
        section="3.17.4.1.54",
        requirement="The text that is put as ConnectorTypeGuid is a GUID in braces.",
        level=Level.INFORMATIONAL,
        members=puts(_MESSAGE, "ConnectorTypeGuid"),
        needs=REQUEST,
        check=_connector_form,
    ),
    of_server(
        "mqac-connector-told",
        "A connector type was told that is no GUID in braces",
        section="3.17.4.1.53",
        requirement="Get ConnectorTypeGuid tells a GUID in braces.",
        members=gets(_MESSAGE, "ConnectorTypeGuid"),
        needs=RESPONSE,
        check=_connector_told,
    ),
    of_server(
        "mqac-label-length",
        "A label of 250 characters or more was taken",
        section="3.17.4.1.31",
        requirement="Put Label with 250 characters or more is answered MQ_ERROR_LABEL_TOO_LONG.",
        members=puts(_MESSAGE, "Label"),
        check=refused(Demand(_long, (_MQ_ERROR_LABEL_TOO_LONG,))),
    ),
    of_server(
        "mqac-body-type",
        "A body of a type that no message has was taken",
        section="3.17.4.1.22",
        requirement="Put Body with a type beyond the list is answered E_INVALIDARG, which the document prints with the "
        "value of another error: both are right.",
        members=puts(_MESSAGE, "Body"),
        check=refused(Demand(_no_body, (E_INVALIDARG, E_INVALIDARG_PRINTED))),
    ),
    of_server(
        "mqac-message-kept",
        "A message told another value than was put",
        section="3.17.4.1.2, 3.17.4.1.11, 3.17.4.1.30",
        requirement="What is put into a message is what it tells, until it is put again. What Send sets itself is left "
        "out after it.",
        members=gets(_MESSAGE, *_KEPT),
        check=_kept,
        undecidable_when="the object's history was not captured whole, calls of it were under way at once, or "
        "SenderIdType was put, of which the document says that it sets the sender",
    ),
    of_server(
        "mqac-transaction-id",
        "The identifier of a message's transaction had another size than 20 bytes",
        section="3.17.4.1.68",
        requirement="TransactionId is made of a machine's GUID and a number: 20 bytes.",
        members=gets(_MESSAGE, "TransactionId"),
        needs=RESPONSE,
        check=_transaction_id,
    ),
)
