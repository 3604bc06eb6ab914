"""IMSMQMessage: [MC-MQAC] 3.17. A message: its properties one by one, and how it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.mqac.enumerations import (
    MQCALG,
    MQMSGACKNOWLEDGEMENT,
    MQMSGAUTHENTICATION,
    MQMSGAUTHLEVEL,
    MQMSGCLASS,
    MQMSGDELIVERY,
    MQMSGJOURNAL,
    MQMSGPRIVLEVEL,
    MQMSGSENDERIDTYPE,
    MQMSGTRACE,
    MQPRIORITY,
    MQTRANSACTION,
)
from decoders.interfaces.mqac.slots import (
    BSTR,
    VARIANT,
    both,
    content,
    get,
    gives,
    gives_object,
    gives_same,
    method,
    optional,
    put,
    putref,
    revisions,
    takes,
    takes_object,
    takes_same,
)
from decoders.ndr.base_types import LONG, SHORT
from decoders.oaut.types import VARIANT_BOOL

if TYPE_CHECKING:
    from decoders.interfaces.mqac.slots import Slot
    from decoders.ndr.model import Parameter

_RESPONSE: Final = "the queue that answers go to"
_ADMIN: Final = "the queue that acknowledgments go to"
_RESPONSES: Final = "where answers go to"


def _queue(name: str, dispid: int, argument: str, what: str, until: int = 0) -> tuple[Slot, Slot]:
    """`until`: the revision that it has queues of; 0: its own."""
    family = "IMSMQQueueInfo"
    if not until:
        return (
            get(name, dispid, gives_same(f"p{argument}", family), what),
            putref(name, dispid, takes_same(argument, family), what),
        )
    return (
        get(name, dispid, gives_same(f"p{argument}", family, until), what, until),
        putref(name, dispid, takes_same(argument, family, until), what, until),
    )


def _destination(revision: int) -> Parameter:
    """Since the third one it may be an MSMQDestination as well."""
    return takes_object("DestinationQueue", {1: "IMSMQQueue", 2: "IMSMQQueue2"}.get(revision, "IDispatch"))


def _responses(revision: int) -> Parameter:
    """The IDL of the third revision spells it so."""
    return gives_object("ppdestRespons" if revision == 3 else "ppdestResponse", "IDispatch")


_SLOTS: Final = (
    get("Class", 7, gives("plClass", LONG, MQMSGCLASS), "what kind of message it is"),
    *both("PrivLevel", 25, "lPrivLevel", LONG, "how the body is encrypted", MQMSGPRIVLEVEL),
    *both("AuthLevel", 26, "lAuthLevel", LONG, "how the message is to be signed", MQMSGAUTHLEVEL),
    get("IsAuthenticated", 27, gives("pisAuthenticated", SHORT), "whether the signature was proved"),
    *both("Delivery", 1, "lDelivery", LONG, "whether the message outlives a restart", MQMSGDELIVERY),
    *both("Trace", 24, "lTrace", LONG, "whether hops are reported", MQMSGTRACE),
    *both("Priority", 2, "lPriority", LONG, "the message's priority", MQPRIORITY),
    *both("Journal", 3, "lJournal", LONG, "whether the sender keeps a copy", MQMSGJOURNAL),
    *_queue("ResponseQueueInfo", 4, "pqinfoResponse", _RESPONSE, until=1),
    *both("AppSpecific", 5, "lAppSpecific", LONG, "a number of the application's"),
    get("SourceMachineGuid", 6, gives("pbstrGuidSrcMachine", BSTR), "the GUID of the computer that sent it"),
    get("BodyLength", 13, gives("pcbBody", LONG), "how many bytes the body has"),
    *content(*both("Body", 0, "varBody", VARIANT, "the body")),
    *_queue("AdminQueueInfo", 8, "pqinfoAdmin", _ADMIN, until=1),
    get("Id", 9, gives("pvarMsgId", VARIANT), "the message's id"),
    *both("CorrelationId", 10, "varMsgId", VARIANT, "the id of the message that it answers"),
    *both("Ack", 11, "lAck", LONG, "which acknowledgments are asked for", MQMSGACKNOWLEDGEMENT),
    *both("Label", 12, "bstrLabel", BSTR, "the message's label"),
    *both("MaxTimeToReachQueue", 14, "lMaxTimeToReachQueue", LONG, "in how many seconds it must reach its queue"),
    *both("MaxTimeToReceive", 15, "lMaxTimeToReceive", LONG, "in how many seconds it must be received"),
    *both("HashAlgorithm", 17, "lHashAlg", LONG, "the hash of the signature", MQCALG),
    *both("EncryptAlgorithm", 16, "lEncryptAlg", LONG, "the cipher of the body", MQCALG),
    get("SentTime", 18, gives("pvarSentTime", VARIANT), "when the message was sent"),
    get("ArrivedTime", 19, gives("plArrivedTime", VARIANT), "when the message came to the queue"),
    get("DestinationQueueInfo", 20, gives_same("ppqinfoDest", "IMSMQQueueInfo"), "the queue that it was sent to"),
    *both("SenderCertificate", 21, "varSenderCert", VARIANT, "the sender's certificate"),
    get("SenderId", 22, gives("pvarSenderId", VARIANT), "the sender's SID"),
    *both("SenderIdType", 23, "lSenderIdType", LONG, "whether the sender's SID is in it", MQMSGSENDERIDTYPE),
    method("Send", (_destination, optional("Transaction", MQTRANSACTION)), "Sends the message."),
    method("AttachCurrentSecurityContext", (), "Keeps what signing the message takes."),
    get("SenderVersion", 28, gives("plSenderVersion", LONG), "the version of the protocol that it was sent by"),
    *both("Extension", 29, "varExtension", VARIANT, "further properties of the application's"),
    *both("ConnectorTypeGuid", 30, "bstrGuidConnectorType", BSTR, "the GUID of the connector"),
    get(
        "TransactionStatusQueueInfo",
        31,
        gives_same("ppqinfoXactStatus", "IMSMQQueueInfo"),
        "the queue that connectors acknowledge transactions to",
    ),
    *both("DestinationSymmetricKey", 32, "varDestSymmKey", VARIANT, "the key that the body is encrypted with"),
    *both("Signature", 33, "varSignature", VARIANT, "the signature"),
    *both("AuthenticationProviderType", 34, "lAuthProvType", LONG, "the type of the provider that signed it"),
    *both("AuthenticationProviderName", 35, "bstrAuthProvName", BSTR, "the name of the provider that signed it"),
    put("SenderId", 22, takes("varSenderId", VARIANT), "the sender's SID"),
    *both("MsgClass", 36, "lMsgClass", LONG, "what kind of message it is", MQMSGCLASS),
    get(
        "Properties",
        37,
        gives_object("ppcolProperties", "IDispatch"),
        "a collection of properties, which nobody implements",
    ),
    get("TransactionId", 38, gives("pvarXactId", VARIANT), "the id of the transaction that it was sent in"),
    get("IsFirstInTransaction", 39, gives("pisFirstInXact", SHORT), "whether it was the first of its transaction"),
    get("IsLastInTransaction", 40, gives("pisLastInXact", SHORT), "whether it was the last of its transaction"),
    *_queue("ResponseQueueInfo", 41, "pqinfoResponse", _RESPONSE, until=2),
    *_queue("AdminQueueInfo", 42, "pqinfoAdmin", _ADMIN, until=2),
    get(
        "ReceivedAuthenticationLevel",
        43,
        gives("psReceivedAuthenticationLevel", SHORT, MQMSGAUTHENTICATION),
        "which signature was proved",
    ),
    *_queue("ResponseQueueInfo", 44, "pqinfoResponse", _RESPONSE),
    *_queue("AdminQueueInfo", 45, "pqinfoAdmin", _ADMIN),
    get("ResponseDestination", 46, _responses, _RESPONSES),
    putref("ResponseDestination", 46, takes_object("pdestResponse", "IDispatch"), _RESPONSES),
    get("Destination", 48, gives_object("ppdestDestination", "IDispatch"), "where the message was sent to"),
    get("LookupId", 49, gives("pvarLookupId", VARIANT), "the id that the message has in its queue"),
    get("IsAuthenticated2", 50, gives("pisAuthenticated", VARIANT_BOOL), "whether the signature was proved"),
    get(
        "IsFirstInTransaction2",
        51,
        gives("pisFirstInXact", VARIANT_BOOL),
        "whether it was the first of its transaction",
    ),
    get("IsLastInTransaction2", 52, gives("pisLastInXact", VARIANT_BOOL), "whether it was the last of its transaction"),
    method("AttachCurrentSecurityContext2", (), "Keeps what signing the message takes."),
    *content(
        get("SoapEnvelope", 53, gives("pbstrSoapEnvelope", BSTR), "the SOAP envelope of a message that came by HTTP"),
        get("CompoundMessage", 54, gives("pvarCompoundMessage", VARIANT), "the whole of a message that came by HTTP"),
        put("SoapHeader", 55, takes("bstrSoapHeader", BSTR), "further elements of the SOAP header"),
        put("SoapBody", 56, takes("bstrSoapBody", BSTR), "further elements of the SOAP body"),
    ),
)

INTERFACES: Final = revisions(
    "IMSMQMessage", "3.17.4.1", (49, 75, 91, 91), _SLOTS, "A message: its properties and body, and how it is sent."
)
