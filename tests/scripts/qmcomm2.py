"""What well-behaved peers say over qmcomm2, where messages are not packets but properties: [MS-MQMP] 3.1.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.scripts import messages
from tests.scripts.identities import LICENCE, TRANSACTION, transaction_of
from tests.scripts.qmcomm import NO_MESSAGE
from tests.scripts.queues import ORDERS, QUEUE_NAMES, queue_format, queue_of
from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripts.stubs import Flat

_SEND, _RECEIVE = 0, 1
_INFINITE: Final = 0xFFFF_FFFF
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"
_NO_IDENTIFIER: Final = {"Lineage": _NOBODY, "Uniquifier": 0}
_ROOM: Final = {"ulBodyBufferSizeInBytes": 1_024, "ulTitleBufferSizeInWCHARs": 250, "ulDestFormatNameLen": 128}
"""That clients have for a body, a label and a queue's name."""
_TEXTS: Final = {
    "ppTitle": ("ulTitleBufferSizeInWCHARs", "pulTitleBufferSizeInWCHARs", messages.LABEL),
    "ppDestFormatName": ("ulDestFormatNameLen", "pulDestFormatNameLenProp", f"DIRECT={ORDERS}"),
}
"""With the size of the buffer, the length of the text, and the text."""
_WANTED: Final = {
    **dict.fromkeys(("pClass", "pSentTime", "pArrivedTime", "pPriority", "pDelivery", "pBodySize", "pulBodyType"), 0),
    "ppMessageID": _NO_IDENTIFIER,
    "ppCorrelationID": bytes(20),
    "ppSrcQMID": _NOBODY,
    **dict.fromkeys(_TEXTS, ""),
}
_USUAL: Final = {
    **dict.fromkeys(("pClass", "pAcknowledge", "pAuditing", "pApplicationTag", "pTrace", "pulSenderIDType"), 0),
    **dict.fromkeys(("pulSenderIDLenProp", "pulPrivLevel", "pAuthenticated", "pulBodyType"), 0),
    **dict.fromkeys(("pulSenderCertLenProp", "pulSymmKeysSizeProp", "pulSignatureSizeProp", "pMsgExtensionSize"), 0),
    **dict.fromkeys(("pulRelativeTimeToQueue", "pulRelativeTimeToLive"), _INFINITE),
    "ppCorrelationID": bytes(20),
    "pPriority": 3,
    "pulHashAlg": 0x8004,
    "pulEncryptAlg": 0x6602,
    "ppSrcQMID": messages.SOURCE,
    "pSentTime": messages.SENT,
    "pulVersion": 0x10,
}
"""What a message says that nothing in particular is known of."""
_MESSAGE: Final = frozenset(("message",)) | TRANSACTION
_FORMATS: Final = ("pAdminQueueFormat", "pResponseQueueFormat")


def _identifier(given: Flat, manager: str, ordinal: int) -> Flat:
    return {"Lineage": given.get("Lineage", manager), "Uniquifier": given.get("Uniquifier", ordinal)}


def _receive(given: Flat, world: World) -> Flat:
    room = {name: given.get(name, size) for name, size in _ROOM.items()}
    lengths = {
        "ulAllocBodyBufferInBytes": room["ulBodyBufferSizeInBytes"],
        "pulTitleBufferSizeInWCHARs": room["ulTitleBufferSizeInWCHARs"],
        "pulDestFormatNameLenProp": room["ulDestFormatNameLen"],
        "ppBody": bytes(room["ulBodyBufferSizeInBytes"]),
    }
    kind = {"hQMContext": 5, "uTransferType": _RECEIVE, "pUow": transaction_of(given, None), "@nth": world.receives}
    world.receives += 1
    return {**NO_MESSAGE, **_WANTED, **room, **lengths, **kind, **given}


def _received(given: Flat, asked: Flat, world: World) -> Flat:
    """Of everything that was asked for, and of nothing else."""
    wanted = messages.described(given, messages.sequential_id(asked["@nth"]))
    if wanted is None or (fails(given) and "message" not in given):
        return {**asked, **given}
    found = {
        **_USUAL,
        "ppMessageID": _identifier(given, messages.SOURCE, wanted.seed),
        "pArrivedTime": world.seconds - messages.ARRIVED_BEFORE,
        "pDelivery": int(asked["pUow"] is not None),
        "pBodySize": wanted.size,
    }
    told = {name: value for name, value in found.items() if asked.get(name) is not None}
    return {**asked, **told, **_body(wanted, asked), **_texts(given, asked), **given}


def _body(wanted: messages.Described, asked: Flat) -> Flat:
    """The buffer keeps its size, unless the script wants a body that has no room in it."""
    if asked["ppBody"] is None:
        return {}
    size = max(wanted.size, asked["ulBodyBufferSizeInBytes"])
    octets = messages.body(wanted.size, wanted.seed).ljust(size, b"\0")
    return {"ppBody": octets, "ulBodyBufferSizeInBytes": size, "ulAllocBodyBufferInBytes": size}


def _texts(given: Flat, asked: Flat) -> Flat:
    """With their null characters. A buffer gets as large as its text, if that is less than it was."""
    found: Flat = {}
    for name, (room, length, usual) in _TEXTS.items():
        if asked[name] is not None:
            text = given.get(name, usual)
            found |= {name: text, room: min(asked[room], len(text) + 1)}
            found |= {length: len(text) + 1} if asked[length] is not None else {}
    return found


def _send(given: Flat, world: World) -> Flat:
    wanted = messages.described(given, messages.LOOKUP_ID + world.sends)
    world.sends += 1
    octets = given.get("ppBody", wanted and messages.body(wanted.size, wanted.seed))
    title = given.get("ppTitle", messages.LABEL)
    size, uow = len(octets or b""), transaction_of(given, None)
    defaults = {
        **NO_MESSAGE,
        **{name: value for name, value in _USUAL.items() if name in ("pClass", "pPriority", "pTrace", "pulBodyType")},
        "uTransferType": _SEND,
        "pDelivery": int(uow is not None),
        "ppBody": octets,
        "ulBodyBufferSizeInBytes": size,
        "ulAllocBodyBufferInBytes": size,
        "ppTitle": title,
        "ulTitleBufferSizeInWCHARs": 0 if title is None else len(title) + 1,
        **dict.fromkeys(("ulAbsoluteTimeToQueue", "ulRelativeTimeToLive"), _INFINITE),
        "pUow": uow,
        "pMessageID": _identifier(given, _NOBODY, 0),
        "@seed": wanted.seed if wanted else 0,
    }
    formats = {name: queue_format(given[name]) for name in _FORMATS if isinstance(given.get(name), str)}
    return {**defaults, **given, **formats}


def _sent(given: Flat, asked: Flat, _: World) -> Flat:
    if fails(given) or asked["pMessageID"] is None:
        return {**asked, **given}
    return {**asked, "pMessageID": _identifier(given, LICENCE, asked["@seed"]), **given}


RECIPES: Final[Mapping[str, Recipe]] = {
    "QMSendMessageInternalEx": Recipe(
        lambda given, world: {**queue_of(given), **_send(given, world)}, _sent, left=QUEUE_NAMES | _MESSAGE
    ),
    "rpc_ACSendMessageEx": Recipe(
        lambda given, world: {"hQueue": handle("Q"), **_send(given, world)}, _sent, left=_MESSAGE
    ),
    "rpc_ACReceiveMessageEx": Recipe(_receive, _received, left=TRANSACTION, right=frozenset(("message",))),
    "rpc_ACCreateCursorEx": Recipe(
        lambda given, _: {"hQueue": handle("Q"), **given},
        lambda given, asked, _: {**asked, "hCursor": 3, "srv_hACQueue": 7, "cli_pQMQueue": 5, **given},
    ),
}
