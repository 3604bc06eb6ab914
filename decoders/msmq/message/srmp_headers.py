"""SRMPEnvelopeHeader, CompoundMessageHeader and SoapHeader: [MS-MQRR] 2.2.5.1.2, [MS-MQMQ] 2.2.20.7.

Lengths of texts count UTF-16 characters; 2.2.5.1.2.1 does not say so, but the servers that CVE-2023-21554 is about
multiply DataLength by two. What that attack needs, a length that runs past its packet, has a code of its own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.layout import Layout

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader

_BEYOND: Final = "message-length-beyond"
_CHARACTER_BYTES: Final = 2
_SOAP_HEADER: Final = 0x0320
_SOAP_BODY: Final = 0x0384


@dataclass(frozen=True, slots=True)
class SRMPEnvelopeHeader:
    HeaderId: int
    DataLength: int
    Data: bytes | None = None
    """UTF-16, with its null character."""


@dataclass(frozen=True, slots=True)
class CompoundMessageHeader:
    HeaderId: int
    HTTPBodySize: int
    MsgBodySize: int
    MsgBodyOffset: int
    Data: bytes | None = None
    """The HTTP request; CutBytes where only its beginning is here."""


@dataclass(frozen=True, slots=True)
class SoapHeader:
    HeaderSectionID: int
    HeaderDataLength: int
    Header: bytes | None = None
    """UTF-16, with its null character."""
    BodySectionID: int | None = None
    BodyDataLength: int | None = None
    Body: bytes | None = None
    """UTF-16, with its null character."""


_ENVELOPE: Final = Layout("SRMPEnvelopeHeader", ("HeaderId", "H"), ("", "2x"), ("DataLength", "I"))
_COMPOUND: Final = Layout(
    "CompoundMessageHeader",
    ("HeaderId", "H"),
    ("", "2x"),
    ("HTTPBodySize", "I"),
    ("MsgBodySize", "I"),
    ("MsgBodyOffset", "I"),
)
_SOAP_SECTIONS: Final = (
    (_SOAP_HEADER, "Header", Layout("SoapHeader", ("HeaderSectionID", "H"), ("", "2x"), ("HeaderDataLength", "I"))),
    (_SOAP_BODY, "Body", Layout("SoapHeader", ("BodySectionID", "H"), ("", "2x"), ("BodyDataLength", "I"))),
)


def read_envelope(reader: Reader, members: Members) -> None:
    members |= _ENVELOPE.read(reader)
    members["Data"] = _text(reader, members["DataLength"], "SRMPEnvelopeHeader.Data")


def read_compound(reader: Reader, members: Members) -> None:
    start = reader.at
    members |= _COMPOUND.read(reader)
    size = members["HTTPBodySize"]
    reader.place_gap(reader.at + size, "CompoundMessageHeader.Data")
    data = reader.beginning(size, "CompoundMessageHeader.Data", _BEYOND)
    if members["MsgBodyOffset"] + members["MsgBodySize"] > size:
        body = f"{members['MsgBodySize']} bytes at {members['MsgBodyOffset']}"
        reader.stop(_BEYOND, start, f"the body has {body} of a compound message of {size}")
    members["Data"] = data
    reader.align()


def read_soap(reader: Reader, members: Members) -> None:
    for identifier, field, layout in _SOAP_SECTIONS:
        at = reader.at
        section = layout.read(reader)
        found = section[f"{field}SectionID"]
        if found != identifier:
            reader.stop("message-header-id", at, f"{field}SectionID is 0x{found:04X} instead of 0x{identifier:04X}")
        members |= section
        members[field] = _text(reader, members[f"{field}DataLength"], f"SoapHeader.{field}")


def _text(reader: Reader, characters: int, what: str) -> bytes:
    raw = reader.take(characters * _CHARACTER_BYTES, what, _BEYOND)
    reader.align()
    return raw
