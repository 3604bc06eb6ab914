"""[MS-MQMP] 2.2.3.2: members of a message that can hold few values, and what its security needs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Values = dict[str, Any]
_CLASS_RESERVED: Final = 0x1F00
_HASHES: Final = frozenset((0x8001, 0x8002, 0x8003, 0x8004, 0x800C, 0x800E))
_CIPHERS: Final = frozenset((0x6602, 0x6801, 0x660E, 0x660F, 0x6610))
_FEW: Final[Mapping[str, Container[int]]] = {
    "pPriority": range(8),
    "pDelivery": range(2),
    "pAcknowledge": range(16),
    "pAuditing": range(4),
    "pTrace": range(2),
    "pulSenderIDType": range(3),
    "pulPrivLevel": (0, 1, 2, 3, 5),
    "pAuthenticated": (0, 1, 3, 5, 9),
    "pulHashAlg": _HASHES,
    "pulEncryptAlg": _CIPHERS,
}
"""Together with what [MS-MQMQ] 2.2.19.3 adds: AES, and bits of acknowledgments that can be combined."""
_PRIORITY: Final = "pPriority"
_ALGORITHMS: Final = ("pulHashAlg", "pulEncryptAlg")
_THE_SERVERS_OWN: Final = ("pPriority", "pAuditing", "pAuthenticated")
"""The message packet has no room for other values of the first two, and the third is the server's finding. All else a
server hands on as the sender wrote it."""
_NO_SENDER, _SID, _QUEUE_MANAGER = 0, 1, 2
_GUID_BYTES: Final = 16
_SID_REVISION: Final = 1
_SID_HEADER_BYTES: Final = 8
_MOST_AUTHORITIES: Final = 15
_PROV_RSA_FULL: Final = 1
_DIRECT: Final = (3, 8)


def _unknown(buffer: Values, unset: Container[str]) -> Wrong:
    """`unset`: those that may be 0 instead."""
    for name, known in _FEW.items():
        value = buffer.get(name)
        if value is not None and value not in known and not (value == 0 and name in unset):
            return {name: hexadecimal(value)}
    reserved = buffer.get("pClass", 0) & _CLASS_RESERVED
    return {"pClass": hexadecimal(buffer["pClass"])} if reserved else None


def _wrong_values(step: CallStep) -> Wrong:
    buffer = transfer_buffer(step.request)
    unused = (not buffer.get("ulSignatureSize"), not buffer.get("pulPrivLevel"))
    return _unknown(buffer, [name for name, free in zip(_ALGORITHMS, unused, strict=True) if free])


def wrong_priority(step: CallStep) -> Wrong:
    priority = transfer_buffer(step.request).get(_PRIORITY, 0)
    return None if priority in _FEW[_PRIORITY] else {_PRIORITY: priority}


def _receive_values(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    asked = transfer_buffer(step.request)
    for name, value in transfer_buffer(step.response).items():
        if name in asked and name in _THE_SERVERS_OWN and value not in _FEW[name]:
            return Broken({name: hexadecimal(value)})
    return True


def _wrong_security(step: CallStep) -> Wrong:
    buffer = transfer_buffer(step.request)
    for length, name in (("ulSenderCertLen", "ppSenderCert"), ("ulSymmKeysSize", "ppSymmKeys")):
        if buffer.get(length) and name not in buffer:
            return {length: buffer[length], name: "null"}
    if buffer.get("pulPrivLevel") and "pulEncryptAlg" not in buffer:
        return {"pulPrivLevel": buffer["pulPrivLevel"], "pulEncryptAlg": "null"}
    return _wrong_sender(buffer) or _wrong_signature(buffer)


def _wrong_sender(buffer: Values) -> Wrong:
    kind, sender = buffer.get("pulSenderIDType"), buffer.get("ppSenderID") or {}
    size = sender.get("size", 0)
    if kind is None:
        length = buffer.get("uSenderIDLen", 0)
        return {"uSenderIDLen": length, "pulSenderIDType": "null"} if length else None
    fits = {
        _NO_SENDER: not size,
        _SID: _is_sid(bytes.fromhex(sender.get("hex") or sender.get("head") or ""), size),
        _QUEUE_MANAGER: size >= _GUID_BYTES,
    }
    return None if fits.get(kind, True) else {"pulSenderIDType": kind, "ppSenderID": f"{size} bytes"}


def _is_sid(start: bytes, size: int) -> bool:
    """[MS-DTYP] 2.4.2.2; the buffer may be longer."""
    if size < _SID_HEADER_BYTES or start[0] != _SID_REVISION or start[1] > _MOST_AUTHORITIES:
        return False
    return size >= _SID_HEADER_BYTES + 4 * start[1]


def _wrong_signature(buffer: Values) -> Wrong:
    size = buffer.get("ulSignatureSize", 0)
    if not size:
        return None
    if "pulHashAlg" not in buffer:
        return {"ulSignatureSize": size, "pulHashAlg": "null"}
    if not buffer.get("fDefaultProvider"):
        if "ppwcsProvName" not in buffer:
            return {"fDefaultProvider": 0, "ppwcsProvName": "null"}
    elif buffer.get("pulProvType") != _PROV_RSA_FULL:
        return {"fDefaultProvider": buffer["fDefaultProvider"], "pulProvType": buffer.get("pulProvType", "null")}
    return None


def _direct_not_encrypted(step: CallStep) -> Answer:
    level = transfer_buffer(step.request).get("pulPrivLevel", 0)
    if not level:
        return True
    if step.call.method == v.QM_SEND:
        direct = (step.request.get("pQueueFormat") or {}).get("m_qft") in _DIRECT
        return not direct or Broken({"pulPrivLevel": level})
    session = step.session
    if session is None or session.opened is None or session.queue_name is None or step.other_association:
        return Reason.OPEN_NOT_SEEN
    if not session.queue_name.upper().startswith("DIRECT="):
        return True
    shown = {"queue": session.queue_name, "pulPrivLevel": level}
    return step.blind_since(session.opened.until) or Broken(shown)


_rule = partial(Rule, document="MS-MQMP", keyword="MUST", level=Level.LOW)
_send = partial(_rule, party=Party.CLIENT, operations=v.SUPPORTED_SENDS, needs=REQUEST)

RULES: Final[tuple[Rule, ...]] = (
    _send(
        "mqmp-send-values",
        "A message was sent with a value that there is not",
        section="2.2.3.2, 3.1.5.2, 3.2.4.10",
        requirement="Priority, delivery, acknowledgment, journaling, tracing, kind of sender, privacy, authentication "
        "and algorithms hold one of their few values, and reserved bits of the class are 0.",
        check=kept_unless(_wrong_values),
    ),
    _send(
        "mqmp-send-security",
        "A message was sent without something that its security needs",
        section="2.2.3.2, 3.1.5.2, 3.2.4.10",
        requirement="What a signature, a sender, a certificate, a key or a privacy level refers to is there. By note "
        "<5> a second signature may follow the first.",
        check=kept_unless(_wrong_security),
    ),
    _send(
        "mqmp-direct-not-encrypted",
        "Encryption was asked for on a queue opened by a direct name",
        section="3.1.5.2",
        requirement="On a queue opened by a direct format name pulPrivLevel is null or 0.",
        keyword="MUST NOT",
        check=_direct_not_encrypted,
        undecidable_when="the opening was not seen, or anything was missed since",
    ),
    _rule(
        "mqmp-receive-values",
        "A message was given with a value that there is not",
        section="2.2.3.2, 3.1.5.3",
        requirement="Priority, journaling and authentication of a received message hold one of their few values; the "
        "other members are the sender's.",
        party=Party.SERVER,
        operations=(v.AC_RECEIVE,),
        needs=BOTH,
        check=_receive_values,
    ),
)
