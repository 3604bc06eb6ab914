"""Names of queues in a message, and the format names they stand for: [MS-MQMQ] 2.2.18.1.4, 2.2.18.1.5, 2.2.18.1.7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.msmq.message.layout import read_guid, read_number, terminated
from decoders.ndr.texts import guid_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.msmq.message.reader import Reader

NONE: Final = 0
SAME_AS_ADMIN: Final = 1
ON_SOURCE: Final = 2
ON_DESTINATION: Final = 3
ON_ADMIN: Final = 4
PUBLIC: Final = 5
PRIVATE: Final = 6
DIRECT: Final = 7

_ALLOWED: Final[Mapping[str, frozenset[int]]] = {
    "DestinationQueue": frozenset({NONE, ON_DESTINATION, PUBLIC, DIRECT}),
    "AdminQueue": frozenset({NONE, ON_SOURCE, ON_DESTINATION, PUBLIC, PRIVATE, DIRECT}),
    "ResponseQueue": frozenset(range(DIRECT + 1)),
}
"""[MS-MQMQ] 2.2.19.2. Its text wants a ResponseQueue for SAME_AS_ADMIN and forbids it; the table has none."""
_WITH_GUID: Final = frozenset({PUBLIC, PRIVATE})
_WITH_NUMBER: Final = frozenset({ON_SOURCE, ON_DESTINATION, ON_ADMIN, PRIVATE})
NIL: Final = guid_text(bytes(16), "<")


@dataclass(frozen=True, slots=True)
class QueueName:
    kind: int
    guid: str | None = None
    """Of a public queue its own, of a private one its queue manager's."""
    number: int | None = None
    direct: str | None = None


@dataclass(frozen=True, slots=True)
class QueueNames:
    """The three of one message: some kinds leave to the others, or to the header, whose queue manager is meant."""

    source: str | None
    destination_manager: str | None
    destination: QueueName | None
    admin: QueueName | None
    response: QueueName | None

    def format_names(self) -> tuple[str | None, str | None, str | None]:
        return self._text(self.destination), self._text(self.admin), self._text(self.response)

    def _text(self, name: QueueName | None) -> str | None:
        if name is None:
            return None
        if name.kind == SAME_AS_ADMIN:
            return self._text(self.admin)
        if name.kind == PUBLIC:
            return f"PUBLIC={name.guid}"
        if name.kind == DIRECT:
            return f"DIRECT={name.direct}"
        manager = self._manager(name)
        return None if manager is None or name.number is None else private_name(manager, name.number)

    def _manager(self, name: QueueName) -> str | None:
        if name.kind == ON_ADMIN:
            # A public or direct name does not tell whose queue it is.
            return self._manager(self.admin) if self.admin else None
        known = {ON_SOURCE: self.source, ON_DESTINATION: self.destination_manager, PRIVATE: name.guid}
        manager = known.get(name.kind)
        return None if manager == NIL else manager


def private_name(manager: str, number: int) -> str:
    """Spelled as format_names does."""
    return f"PRIVATE={manager}\\{number:08x}"


def read_queue_name(reader: Reader, field: str, kind: int) -> QueueName:
    if kind not in _ALLOWED[field]:
        reader.stop("message-queue-kind", reader.at, f"{field} of kind {kind}")
    if kind == DIRECT:
        return QueueName(kind, direct=_direct(reader, field))
    guid = read_guid(reader, field) if kind in _WITH_GUID else None
    number = read_number(reader, 4, field) if kind in _WITH_NUMBER else None
    return QueueName(kind, guid, number)


def _direct(reader: Reader, field: str) -> str:
    count = read_number(reader, 2, field)
    at = reader.at
    name = terminated(reader, reader.take(count, field), field, at)
    reader.align()
    return name
