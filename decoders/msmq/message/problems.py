"""What can be wrong with a message, as values: no bytes make the parser raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from decoders.ndr.problems import Consequence


@dataclass(frozen=True, slots=True)
class MessageProblem:
    code: str
    offset: int
    """In bytes from the start of the packet, with those counted that RemoteRead left out."""
    detail: str


PROBLEMS: Final = {
    "message-cut": Consequence(True, "The bytes end before the packet does."),
    "message-signature": Consequence(True, "The packet's signature is not LIOR: this is no message."),
    "message-internal": Consequence(True, "The packet belongs to a session between queue managers: it has no message."),
    "message-length": Consequence(True, "A length runs past the end of the packet, or is too small for its header."),
    "message-length-beyond": Consequence(
        True, "A length of an SRMP or SOAP header runs past its packet, as those that exploit CVE-2023-21554 do."
    ),
    "message-queue-kind": Consequence(True, "A queue's name has a kind that its field cannot have."),
    "message-header-id": Consequence(True, "A header begins with another identifier than its own."),
    "message-version": Consequence(False, "The version of the packet is not 0x10; it was read as if it were."),
    "message-size": Consequence(False, "Two sizes contradict each other; the one that the bytes bear out was used."),
    "message-flags": Consequence(False, "The flags deny a header that every message has."),
    "message-text": Consequence(False, "A text does not end with its first null character."),
    "message-sender-id": Consequence(False, "The sender is neither a security identifier nor a GUID, as it should be."),
    "message-sections": Consequence(False, "RemoteRead's sections do not fit together."),
    "message-too-many": Consequence(False, "More names of queues than the limit; those behind it were left out."),
    "message-trailing": Consequence(False, "Bytes are left behind the last header."),
}
