"""What innocent clients do all day, in the language of tests/scripts. Every script is one client with one server."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

QUEUE_NUMBER: Final = 0x5EED5E00
"""Queues that a server numbers; the low byte tells those of one script apart."""
SEQUENCE: Final = 0x005A_5A5A_0000_0000
"""Of messages; the low four bytes count."""
_ENDS: Final = {
    "4": "from 10.0.0.5 to 10.0.0.9",
    "6": "from 2001:db8::a00:5 to 2001:db8::a00:9",
}
_SMALLEST, _LARGEST = 200, 6_000
_NUMBER: Final = f"{QUEUE_NUMBER | 1:#x}"


@dataclass(frozen=True, slots=True)
class Script:
    name: str
    share: float
    """Of the conversations, beside the shares of the others."""
    text: str


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    share: float
    write: Callable[[random.Random, str, int], Iterable[str]]
    """With the options of its connections and the number of reads, sends or questions."""
    counts: tuple[int, ...]
    ends: str = "4"
    auth: str = "integrity"


def _qm2qm(rng: random.Random, options: str, reads: int) -> Iterable[str]:
    yield f"connect opening interface qmcomm {options}"
    yield f"R_QMOpenRemoteQueue pLicGuid=Client -> phQueue={_NUMBER} pphContext=Handshake"
    yield f"connect reading interface qm2qm {options}"
    yield "RemoteQmGetVersion"
    yield f"RemoteQMOpenQueue hQueue={_NUMBER} pLicGuid=Client -> phContext=Orders"
    yield "opening: R_QMCloseRemoteQueueContext pphContext=Handshake"
    yield "close opening"
    for number in range(reads):
        size, sequence = _size(rng), _sequence(number)
        found = f"SequentialId={sequence} message={size}/{sequence}"
        if rng.random() < 0.1:
            yield f"RemoteQMStartReceive2 hRemoteQueue={_NUMBER} ulAction=PEEK_CURRENT -> {found}"
        yield f"RemoteQMStartReceive2 hRemoteQueue={_NUMBER} -> {found} pphContext=Read{number} {_late(rng)}"
        yield f"RemoteQMEndReceive pphContext=Read{number}"
        yield _pause(rng)
    yield f"RemoteQMStartReceive2 hRemoteQueue={_NUMBER} ulTimeout=500 -> status=MQ_ERROR_IO_TIMEOUT after 500ms"
    yield "RemoteQMCloseQueue pphContext=Orders"
    yield "close reading"


def _qm2qm_first(rng: random.Random, options: str, reads: int) -> Iterable[str]:
    """As clients read before there was StartReceive2."""
    yield f"connect opening interface qmcomm {options}"
    yield f"R_QMOpenRemoteQueue pLicGuid=Client -> phQueue={_NUMBER} pphContext=Handshake"
    yield f"connect reading interface qm2qm {options}"
    yield f"RemoteQMOpenQueue hQueue={_NUMBER} pLicGuid=Client -> phContext=Orders"
    yield "opening: R_QMCloseRemoteQueueContext pphContext=Handshake"
    yield "close opening"
    for number in range(reads):
        found = f"message={_size(rng)}/{_sequence(number)}"
        yield f"RemoteQMStartReceive hRemoteQueue={_NUMBER} -> {found} pphContext=Read{number} {_late(rng)}"
        yield f"RemoteQMEndReceive pphContext=Read{number}"
        yield _pause(rng)
    yield "RemoteQMCloseQueue pphContext=Orders"
    yield "close reading"


def _remote_read(rng: random.Random, options: str, reads: int) -> Iterable[str]:
    yield f"connect interface RemoteRead {options}"
    yield "R_GetServerPort"
    yield "R_OpenQueue pClientId=Client -> pphContext=Reader"
    for number in range(reads):
        sequence = _sequence(number)
        yield (
            f"R_StartReceive phContext=Reader -> pSequenceId={sequence} message={_size(rng)}/{sequence} {_late(rng)}"
        )
        yield "R_EndReceive phContext=Reader"
        yield _pause(rng)
    yield "R_StartReceive phContext=Reader ulTimeout=500 -> status=MQ_ERROR_IO_TIMEOUT after 500ms"
    yield "R_CloseQueue pphContext=Reader"
    yield "close"


def _senders(rng: random.Random, options: str, sends: int) -> Iterable[str]:
    yield f"connect c interface qmcomm {options}"
    yield (
        "rpc_QMOpenQueueInternal pLicGuid=Client dwDesiredAccess=MQ_SEND_ACCESS "
        f"-> phQueue=Sending pdwQMContext={_NUMBER}"
    )
    yield f"connect m interface qmcomm2 group c {options}"
    for number in range(sends):
        yield f"m: rpc_ACSendMessageEx hQueue=Sending message={_size(rng)}/{0x1401 + number} -> Lineage=Client"
        yield _pause(rng)
    yield "c: rpc_ACCloseHandle phQueue=Sending"
    yield "close m"
    yield "close c"


def _receivers(rng: random.Random, options: str, reads: int) -> Iterable[str]:
    yield f"connect c interface qmcomm {options}"
    yield f"rpc_QMOpenQueueInternal pLicGuid=Client -> phQueue=Receiving pdwQMContext={_NUMBER}"
    yield "rpc_ACHandleToFormatName hQueue=Receiving"
    yield f"connect m interface qmcomm2 group c {options}"
    for number in range(reads):
        yield f"m: rpc_ACReceiveMessageEx hQMContext={_NUMBER} -> message={rng.randrange(200, 1_024)}/{0x1401 + number}"
        yield _pause(rng)
    yield "c: rpc_ACCloseHandle phQueue=Receiving"
    yield "close m"
    yield "close c"


def _administration(rng: random.Random, options: str, questions: int) -> Iterable[str]:
    yield f"connect interface qmmgmt {options}"
    yield "R_QMMgmtGetInfo aProp=[PROPID_MGMT_MSMQ_ACTIVEQUEUES, PROPID_MGMT_MSMQ_TYPE]"
    for _ in range(questions):
        yield (
            r'R_QMMgmtGetInfo queue="OS:hq\private$\orders" '
            "aProp=[PROPID_MGMT_QUEUE_MESSAGE_COUNT, PROPID_MGMT_QUEUE_BYTES_IN_QUEUE] "
            f"-> apVar=[{rng.randrange(100)}, {rng.randrange(100_000)}]"
        )
        yield _pause(rng)
    if questions > 5:
        yield 'R_QMMgmtAction lpwszAction="CONNECT"'
    yield "close"


def _finding(_: random.Random, options: str, questions: int) -> Iterable[str]:
    """Where does the queue manager listen, and which version is it?"""
    yield f"connect interface epm {options}"
    yield "ept_map for=qm2qm"
    yield "ept_map for=qmmgmt -> port=2103"
    if questions > 1:
        yield "ept_lookup max_ents=1 -> entries=[qm2qm:2105] entry_handle=Walk"
        yield "ept_lookup_handle_free entry_handle=Walk"
    yield "close"
    yield f"connect interface qmcomm {options}"
    for asked in range(questions):
        yield f"R_QMGetRTQMServerPort fIP={asked % 2}"
    yield "R_QMQueryQMRegistryInternal"
    yield "close"


def _size(rng: random.Random) -> int:
    return _LARGEST - int((_LARGEST - _SMALLEST) * rng.random() ** 4)


def _late(rng: random.Random) -> str:
    return f"after {rng.randrange(1, 30)}ms"


def _pause(rng: random.Random) -> str:
    return f"wait {rng.randrange(2, 300)}ms"


def _sequence(number: int) -> str:
    return f"{SEQUENCE | 0x1401 + number:#x}"


_KINDS: Final = (
    _Kind("qm2qm", 17, _qm2qm, (5, 9, 14, 22)),
    _Kind("qm2qm-long", 1.5, _qm2qm, (40, 80)),
    _Kind("qm2qm-first", 4, _qm2qm_first, (6, 18)),
    _Kind("qm2qm-sealed", 4, _qm2qm, (7, 16), auth="privacy"),
    _Kind("qm2qm-ipv6", 3, _qm2qm, (8, 20), ends="6"),
    _Kind("remote-read", 20, _remote_read, (4, 8, 16)),
    _Kind("remote-read-long", 1.5, _remote_read, (45, 75)),
    _Kind("remote-read-sealed", 4, _remote_read, (8, 15), auth="privacy"),
    _Kind("remote-read-ipv6", 2, _remote_read, (12,), ends="6"),
    _Kind("senders", 12, _senders, (3, 8, 15)),
    _Kind("senders-sealed", 2, _senders, (6,), auth="privacy"),
    _Kind("receivers", 6, _receivers, (4, 10)),
    _Kind("administration", 16, _administration, (2, 5, 8)),
    _Kind("administration-sealed", 2, _administration, (4,), auth="privacy"),
    _Kind("finding", 18, _finding, (1, 2)),
)


def scripts(seed: int = 7) -> list[Script]:
    found = []
    for kind in _KINDS:
        for count in kind.counts:
            # Text, so that a script does not change when another one is added.
            rng = random.Random(f"{seed} {kind.name} {count}")
            lines = kind.write(rng, f"{_ENDS[kind.ends]} auth {kind.auth}", count)
            found.append(Script(f"{kind.name}-{count}", kind.share / len(kind.counts), "\n".join(lines)))
    return found
