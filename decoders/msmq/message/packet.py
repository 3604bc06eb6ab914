"""A UserMessage packet, header by header: [MS-MQMQ] 2.2.20 and, with what follows it, [MS-MQRR] 2.2.5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.msmq.message import (
    base_header,
    multi_queue_header,
    optional_headers,
    properties_header,
    security_header,
    srmp_headers,
    trailers,
    user_header,
)
from decoders.msmq.message.base_header import BaseFlag, BaseHeader
from decoders.msmq.message.multi_queue_header import MultiQueueFormatHeader
from decoders.msmq.message.optional_headers import SESSION_BYTES, DebugHeader, SessionHeader, TransactionHeader
from decoders.msmq.message.properties_header import MessagePropertiesHeader
from decoders.msmq.message.reader import BodySize, Form, Gap, Reader, Stop
from decoders.msmq.message.security_header import SecurityHeader
from decoders.msmq.message.srmp_headers import CompoundMessageHeader, SoapHeader, SRMPEnvelopeHeader
from decoders.msmq.message.trailers import (
    DeadLetterHeader,
    ExtendedAddressHeader,
    ExtensionFlag,
    ExtensionHeader,
    SubqueueHeader,
)
from decoders.msmq.message.user_header import UserFlag, UserHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from decoders.msmq.message.problems import MessageProblem
    from decoders.msmq.message.reader import Members


@dataclass(frozen=True, slots=True)
class Message:
    """Headers that are not there, or were not reached, are None: `problems` says which."""

    form: Form
    sections: int
    """In which it came; 1 where it came as one."""
    missing_body: int
    """Bytes of the body that the server left out, since the client did not ask for them."""
    problems: tuple[MessageProblem, ...]
    base_header: BaseHeader | None = None
    user_header: UserHeader | None = None
    transaction_header: TransactionHeader | None = None
    security_header: SecurityHeader | None = None
    properties_header: MessagePropertiesHeader | None = None
    debug_header: DebugHeader | None = None
    srmp_envelope_header: SRMPEnvelopeHeader | None = None
    compound_message_header: CompoundMessageHeader | None = None
    soap_header: SoapHeader | None = None
    multi_queue_format_header: MultiQueueFormatHeader | None = None
    session_header: SessionHeader | None = None
    extension_header: ExtensionHeader | None = None
    subqueue_header: SubqueueHeader | None = None
    dead_letter_header: DeadLetterHeader | None = None
    extended_address_header: ExtendedAddressHeader | None = None

    @property
    def complete(self) -> bool:
        """Every byte that the packet tells of is here."""
        return not self.missing_body and all(problem.code != "message-cut" for problem in self.problems)


class _Part(NamedTuple):
    """A header, how it is read, and the flag without which it is not there."""

    field: str
    header: type
    read: Callable[[Reader, Members], None]
    announced_in: str = ""
    flag: int = 0


_COMPOUND: Final = _Part(
    "compound_message_header", CompoundMessageHeader, srmp_headers.read_compound, "user_header", UserFlag.AH
)
_IN_PACKET_SIZE: Final = (
    _Part("base_header", BaseHeader, base_header.read),
    _Part("user_header", UserHeader, user_header.read),
    _Part("transaction_header", TransactionHeader, optional_headers.read_transaction, "user_header", UserFlag.TH),
    _Part("security_header", SecurityHeader, security_header.read, "user_header", UserFlag.SH),
    _Part("properties_header", MessagePropertiesHeader, properties_header.read, "user_header", UserFlag.MP),
    _Part("debug_header", DebugHeader, optional_headers.read_debug, "base_header", BaseFlag.DH),
    _Part("srmp_envelope_header", SRMPEnvelopeHeader, srmp_headers.read_envelope, "user_header", UserFlag.AH),
    _COMPOUND,
    _Part("soap_header", SoapHeader, srmp_headers.read_soap, "user_header", UserFlag.HH),
    _Part("multi_queue_format_header", MultiQueueFormatHeader, multi_queue_header.read, "user_header", UserFlag.MQ),
)
_SESSION: Final = _Part("session_header", SessionHeader, optional_headers.read_session, "base_header", BaseFlag.SH)
_EXTENSION: Final = _Part("extension_header", ExtensionHeader, trailers.read_extension)
_TRAILERS: Final = (
    _Part("subqueue_header", SubqueueHeader, trailers.read_subqueue, "extension_header", ExtensionFlag.SQ),
    _Part("dead_letter_header", DeadLetterHeader, trailers.read_dead_letter, "extension_header", ExtensionFlag.DL),
    _Part(
        "extended_address_header",
        ExtendedAddressHeader,
        trailers.read_extended_address,
        "extension_header",
        ExtensionFlag.EA,
    ),
)


def parse_message(data: bytes, form: Form, *, missing_body: int = 0) -> Message:
    """Never raises: `problems` says what could not be read.

    `missing_body` bytes at the end of the body are not in `data`: what follows the body stands behind its beginning.
    """
    return parse_packet(data, form, max(missing_body, 0), None)


def parse_packet(data: bytes, form: Form, missing: int, gap: Gap | None, sections: int = 1) -> Message:
    message = _parsed(Reader(data, form, BodySize.ALLOCATED, missing, gap), sections)
    body = message.properties_header
    if not message.problems or body is None or body.AllocationBodySize <= body.MessageSize:
        return message
    other = _parsed(Reader(data, form, BodySize.TOLD, missing, gap), sections)
    return other if len(other.problems) < len(message.problems) else message


def _parsed(reader: Reader, sections: int) -> Message:
    headers: dict[str, Any] = {}
    stopped = False
    try:
        _read_headers(reader, headers)
    except Stop:
        stopped = True
    _check_end(reader, headers, stopped=stopped)
    return Message(reader.form, sections, reader.missing, tuple(reader.problems), **headers)


def _read_headers(reader: Reader, headers: dict[str, Any]) -> None:
    for part in _IN_PACKET_SIZE:
        if _announced(headers, part):
            _read_part(reader, headers, part)
    reader.end = max(reader.end + _session_size(headers), reader.size)
    # A queue manager may hand a message over without its SessionHeader, as PacketSize does not count it.
    if reader.at < reader.size and _announced(headers, _SESSION):
        _read_part(reader, headers, _SESSION)
    if not trailers.extension_follows(reader):
        return
    _read_part(reader, headers, _EXTENSION)
    start = reader.at
    for part in _TRAILERS:
        if _announced(headers, part):
            _read_part(reader, headers, part)
    told = headers["extension_header"].RemainingHeadersSize
    if reader.at - start != told:
        reader.report("message-size", start, f"RemainingHeadersSize is {told}, the headers have {reader.at - start}")


def _read_part(reader: Reader, headers: dict[str, Any], part: _Part) -> None:
    members: Members = {}
    try:
        part.read(reader, members)
    except Stop:
        if part is not _COMPOUND or not reader.in_gap or reader.gap is None:
            raise
        # A client that asks for nothing of the compound message does not even get its sizes.
        reader.problems.pop()
        reader.at = reader.gap.end
    finally:
        if members:
            headers[part.field] = part.header(**members)


def _session_size(headers: Mapping[str, Any]) -> int:
    return SESSION_BYTES if _announced(headers, _SESSION) else 0


def _announced(headers: Mapping[str, Any], part: _Part) -> bool:
    return not part.flag or bool(headers[part.announced_in].Flags & part.flag)


def _check_end(reader: Reader, headers: Mapping[str, Any], *, stopped: bool) -> None:
    """The body's end, padding or the beginning of a header may be all that is missing, or all that is left."""
    base: BaseHeader | None = headers.get("base_header")
    told = base.PacketSize if base else 0
    if told > reader.size:
        if all(problem.code != "message-cut" for problem in reader.problems):
            reader.report("message-cut", reader.size, f"PacketSize is {told}, {reader.size} bytes are here")
    elif reader.at < reader.size and not stopped:
        reader.report("message-trailing", reader.at, f"{reader.size - reader.at} bytes")
