"""[MS-MQMP] 2.2.3.2, the client: what a transfer is for, and how long its buffers are. One request is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import REQUEST, Level, Party, Rule
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Values = dict[str, Any]
_CACTB_SEND, _CACTB_RECEIVE = 0, 1
_LONGEST_LABEL: Final = 250
_LONGEST_NAME: Final = 1_024
_CORRELATION_BYTES: Final = 20


class Text(NamedTuple):
    """A buffer for characters, the length it has on the wire, and that of the whole text."""

    buffer: str
    room: str
    length: str
    most: int


LABEL: Final = Text("ppTitle", "ulTitleBufferSizeInWCHARs", "pulTitleBufferSizeInWCHARs", _LONGEST_LABEL)
QUEUE_NAMES: Final = tuple(
    Text(f"pp{of}FormatName", f"ul{of}FormatNameLen", f"pul{of}FormatNameLenProp", _LONGEST_NAME)
    for of in ("Response", "Admin", "Dest", "Ordering")
)
"""In Receive."""


def members(values: Values) -> Values:
    """Those of Receive beside the others: no two have one name."""
    return {**values, **(values.get("Receive") or {})}


def no_transfer(step: CallStep) -> Wrong:
    """As a server has to notice it: 3.1.5.3 goes on with MQ_ACTION_PEEK_NEXT where there is no cursor."""
    buffer = transfer_buffer(step.request)
    kind, wanted = buffer.get("uTransferType"), _CACTB_SEND
    if step.call.method == v.AC_RECEIVE:
        wanted = _CACTB_RECEIVE
    if kind != wanted:
        return {"uTransferType": kind}
    if kind == _CACTB_SEND:
        return None
    action = (buffer.get("Receive") or {}).get("Action", 0)
    return None if action in v.ACTIONS_BY_POSITION else {"Action": hexadecimal(action)}


def wrong_transfer(step: CallStep) -> Wrong:
    receive = transfer_buffer(step.request).get("Receive") or {}
    without = receive.get("Action") == v.PEEK_NEXT and not receive.get("Cursor")
    return no_transfer(step) or ({"Action": "MQ_ACTION_PEEK_NEXT", "Cursor": 0} if without else None)


def _wrong_lengths(step: CallStep) -> Wrong:
    buffer = members(transfer_buffer(step.request))
    body, allocated = buffer.get("ulBodyBufferSizeInBytes", 0), buffer.get("ulAllocBodyBufferInBytes", 0)
    # A send without a body may tell any length: the server does not look at it.
    if body > allocated and ("ppBody" in buffer or step.call.method == v.AC_RECEIVE):
        return {"ulBodyBufferSizeInBytes": body, "ulAllocBodyBufferInBytes": allocated}
    return _wrong_room(buffer) if step.call.method == v.AC_RECEIVE else _wrong_sizes(buffer)


def _wrong_sizes(buffer: Values) -> Wrong:
    """Of a send."""
    label = buffer.get(LABEL.room, 0)
    if LABEL.buffer in buffer and label > LABEL.most:
        return {LABEL.room: label}
    correlation = (buffer.get("ppCorrelationID") or {}).get("size", 0)
    return {"ppCorrelationID": f"{correlation} bytes"} if correlation > _CORRELATION_BYTES else None


def _wrong_room(buffer: Values) -> Wrong:
    """Of a receive."""
    for text in (*QUEUE_NAMES, LABEL):
        room, length = buffer.get(text.room, 0), buffer.get(text.length)
        if text.buffer not in buffer:
            if room:
                return {text.buffer: "null", text.room: room}
        elif room > text.most or (length is not None and room != min(length, text.most)):
            return {text.room: room, text.length: length}
    for name, room in (("ppBody", "ulAllocBodyBufferInBytes"), ("ppMsgExtension", "ulMsgExtensionBufferInBytes")):
        if name not in buffer and buffer.get(room, 0):
            return {name: "null", room: buffer[room]}
    return None


_client = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.CLIENT, operations=v.TRANSFERS, needs=REQUEST)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-transfer-type",
        "A transfer asks for something of another kind",
        section="2.2.3.2, 3.1.5.2, 3.1.5.3, 3.2.4.10, 3.2.4.11, 3.2.4.12",
        requirement="uTransferType is CACTB_SEND in sends and CACTB_RECEIVE in receives; Action is one of the three by "
        "position, MQ_ACTION_PEEK_NEXT only with a cursor.",
        level=Level.MEDIUM,
        check=kept_unless(wrong_transfer),
    ),
    _client(
        "mqmp-buffer-lengths",
        "A transfer tells lengths that do not fit its buffers",
        section="2.2.3.2, 3.1.5.3, 3.2.4.10, 3.2.4.11, 3.2.4.12",
        requirement="A label has 250 characters at most, a correlation identifier 20 bytes, a body not more than its "
        "buffer. A receive tells for each buffer the length told beside it, 1024 (of the label 250) at most, and 0 "
        "where there is none.",
        level=Level.LOW,
        check=kept_unless(_wrong_lengths),
    ),
)
