"""[MS-MQMP] 3.1.5.3, the server: the buffer that a receive brings back, beside the one that it was asked with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqmp.transfers import LABEL, QUEUE_NAMES, members
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

Values = dict[str, Any]
_MQ_INFORMATION_PROPERTY: Final = 0x400E_0001
"""Note <73>: something about a property is told elsewhere."""


class _Buffer(NamedTuple):
    """With the room that the client told, and the length of what there was to put in."""

    name: str
    room: tuple[str, ...]
    length: str


_BUFFERS: Final = (
    *(_Buffer(text.buffer, (text.length,), text.length) for text in (*QUEUE_NAMES, LABEL)),
    _Buffer("ppBody", ("ulBodyBufferSizeInBytes", "ulAllocBodyBufferInBytes"), "pBodySize"),
    _Buffer("ppMsgExtension", ("ulMsgExtensionBufferInBytes",), "pMsgExtensionSize"),
    _Buffer("ppSenderID", ("uSenderIDLen",), "pulSenderIDLenProp"),
    _Buffer("ppSenderCert", ("ulSenderCertLen",), "pulSenderCertLenProp"),
    _Buffer("ppSymmKeys", ("ulSymmKeysSize",), "pulSymmKeysSizeProp"),
    _Buffer("ppSignature", ("ulSignatureSize",), "pulSignatureSizeProp"),
)
"""Without the name of the provider: its length may count a signature too (2.2.3.2), or not (3.1.5.3)."""
_ROOMS: Final = (*((one.name, one.room) for one in _BUFFERS), ("ppwcsProvName", ("ulProvNameLen",)))
_LENGTHS: Final = (*(one.length for one in _BUFFERS), "pulAuthProvNameLenProp")
_UNCHANGED: Final = ("Cursor", "pUow", "ulBodyBufferSizeInBytes", "ulMsgExtensionBufferInBytes")
_ASKED_FOR: Final = (
    "pClass",
    "ppMessageID",
    "ppCorrelationID",
    "pSentTime",
    "pArrivedTime",
    "pPriority",
    "pDelivery",
    "pAcknowledge",
    "pAuditing",
    "pApplicationTag",
    "pulRelativeTimeToQueue",
    "pulRelativeTimeToLive",
    "pTrace",
    "pulPrivLevel",
    "pAuthenticated",
    "pulHashAlg",
    "pulEncryptAlg",
    "pulProvType",
    "pulSenderIDType",
    "ppSrcQMID",
    "ppConnectorType",
    "pulBodyType",
    "pulVersion",
    "pbFirstInXact",
    "pbLastInXact",
    "ppXactID",
)


def _all_members(values: Values | None) -> Values:
    """Of CACTransferBufferV2, side by side."""
    return {**((values or {}).get("ptb") or {}), **members(transfer_buffer(values))}


def _receive_answer(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    asked, given = _all_members(step.request), _all_members(step.response)
    wrong = next(_differences(asked, given), None)
    return True if wrong is None else Broken(wrong)


def _differences(asked: Values, given: Values) -> Iterator[Wrong]:
    for name in _UNCHANGED:
        if asked.get(name) != given.get(name):
            yield {name: given.get(name, "null"), "asked with": asked.get(name, "null")}
    for name in (*_LENGTHS, *_ASKED_FOR):
        if name in asked and name not in given:
            yield {name: "null", "asked with": asked[name]}
    for name in _LENGTHS:
        if name in given and name not in asked:
            yield {name: given[name], "asked with": "null"}
    for name, rooms in _ROOMS:
        # A pointer to a null pointer shows as none: with room told it may be a buffer that the server is to make.
        if name in given and name not in asked and not any(asked.get(room) for room in rooms):
            yield {name: "a buffer", "asked with": "null"}
    for text in (*QUEUE_NAMES, LABEL):
        if text.buffer in asked and text.length in asked and text.length in given:
            fits = min(asked.get(text.room, 0), given[text.length])
            if given.get(text.room, 0) != fits:
                yield {text.room: given.get(text.room, 0), "should be": fits}


def _too_small(asked: Values, given: Values) -> Wrong:
    for one in _BUFFERS:
        room = max(asked.get(name) or 0 for name in one.room)
        length = given.get(one.length)
        if one.name in asked and length is not None and length > room and any(name in asked for name in one.room):
            return {one.name: f"{room}", one.length: length}
    return None


def _buffer_too_small_fails(step: CallStep) -> Answer:
    if step.call.fault is not None:
        return None
    wrong = _too_small(_all_members(step.request), _all_members(step.response))
    if wrong is None or step.call.status == _MQ_INFORMATION_PROPERTY:
        return None
    return step.failed or Broken({**wrong, "return_value": code_shown(step.call.status)})


_server = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.SERVER, operations=(v.AC_RECEIVE,), needs=BOTH)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqmp-receive-answer",
        "The answer to a receive does not fit what was asked",
        section="3.1.5.3",
        requirement="With MQ_OK what was null stays null and what was asked for is given. Cursor, pUow and the lengths "
        "of body and extension come back as they were, those of texts as the smaller of buffer and text.",
        level=Level.LOW,
        check=_receive_answer,
    ),
    _server(
        "mqmp-buffer-too-small-fails",
        "A receive succeeded although a buffer was too small",
        section="2.2.3.2, 3.1.5.3",
        requirement="Before it fills a buffer the server sees to it that the buffer is large enough. By note <73> it "
        "may also warn of a property.",
        level=Level.MEDIUM,
        check=_buffer_too_small_fails,
    ),
)
