"""SecurityHeader: [MS-MQMQ] 2.2.20.6.

Flags.AI should tell whether SecurityData is there. In [MS-MQQB] 4.1.7 it is not set and the sender's SID is there, so
the sizes decide.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.layout import Layout, bits, terminated
from decoders.ndr.layout import GUID_BYTES
from decoders.ndr.texts import guid_text
from decoders.security.sids import sid_text

if TYPE_CHECKING:
    from decoders.msmq.message.reader import Members, Reader


class SecurityFlag(enum.IntEnum):
    """Masks of Flags; the other bits are unused."""

    ST = 0x000F
    AU = 0x0010
    EB = 0x0020
    DE = 0x0040
    AI = 0x0080
    AS = 0x0F00


@dataclass(frozen=True, slots=True)
class SecurityHeader:
    """What was not reached of SecurityData is None; what has no size is empty."""

    Flags: int
    SenderIdSize: int
    EncryptionKeySize: int
    SignatureSize: int
    SenderCertSize: int
    ProviderInfoSize: int
    SecurityID: bytes | None = None
    EncryptionKey: bytes | None = None
    Signature: bytes | None = None
    SenderCert: bytes | None = None
    ProviderType: int | None = None
    ProviderName: str | None = None

    @property
    def sender_id(self) -> str | None:
        return sender_id(bits(self.Flags, SecurityFlag.ST), self.SecurityID or b"")


_FIXED: Final = Layout(
    "SecurityHeader",
    ("Flags", "H"),
    ("SenderIdSize", "H"),
    ("EncryptionKeySize", "H"),
    ("SignatureSize", "H"),
    ("SenderCertSize", "I"),
    ("ProviderInfoSize", "I"),
)
_ITEMS: Final = (
    ("SecurityID", "SenderIdSize"),
    ("EncryptionKey", "EncryptionKeySize"),
    ("Signature", "SignatureSize"),
    ("SenderCert", "SenderCertSize"),
)
_PROVIDER_TYPE_BYTES: Final = 4
NO_SENDER, SENDER_SID, SENDER_QUEUE_MANAGER = 0, 1, 2


def sender_id(kind: int, raw: bytes) -> str | None:
    """The SID or, of a queue manager, its GUID; None where there is none or the bytes are not one."""
    if kind == SENDER_SID:
        return sid_text(raw)
    if kind == SENDER_QUEUE_MANAGER and len(raw) >= GUID_BYTES:
        return guid_text(raw[:GUID_BYTES], "<")
    return None


def read(reader: Reader, members: Members) -> None:
    members |= _FIXED.read(reader)
    sender_at = reader.at
    for item, size in _ITEMS:
        members[item] = reader.take(members[size], item)
        reader.align()
    kind = bits(members["Flags"], SecurityFlag.ST)
    if (members["SecurityID"] or kind != NO_SENDER) and sender_id(kind, members["SecurityID"]) is None:
        reader.report("message-sender-id", sender_at, f"type {kind}, {members['SenderIdSize']} bytes")
    if members["ProviderInfoSize"]:
        _read_provider(reader, members)


def _read_provider(reader: Reader, members: Members) -> None:
    at = reader.at
    size = members["ProviderInfoSize"]
    if size < _PROVIDER_TYPE_BYTES:
        reader.stop("message-length", at, f"ProviderInfo has {size} bytes, too few for its ProviderType")
    info = reader.take(size, "ProviderInfo")
    reader.align()
    members["ProviderType"] = int.from_bytes(info[:_PROVIDER_TYPE_BYTES], "little")
    name_at = at + _PROVIDER_TYPE_BYTES
    members["ProviderName"] = terminated(reader, info[_PROVIDER_TYPE_BYTES:], "ProviderName", name_at)
