"""issues: what could not be read or decoded."""

from __future__ import annotations

from typing import TypedDict

from decoders.dcerpc.troubles import MEANINGS
from decoders.msmq.message.problems import PROBLEMS as MESSAGE_PROBLEMS
from decoders.ndr.problems import PROBLEMS
from decoders.security.descriptors import PROBLEMS as DESCRIPTOR_PROBLEMS
from schemas.model import LONG, STRING, Column, Table
from schemas.relations import Reference
from schemas.shared_columns import CAPTURE_ID, FRAME, OF_CALL, OF_CAPTURE, OF_FLOW, PATH, UID

# code -> (what `offset` counts from, meaning)
ISSUE_CODES: dict[str, tuple[str, str]] = {
    "empty-file": ("file", "The file has no bytes."),
    "not-a-capture": ("file", "The file is neither pcap nor pcapng."),
    "no-permission": ("file", "The user who runs mqtrail may not read the file."),
    "not-readable": ("file", "The operating system could not read the file."),
    "compressed-twice": ("file", "Compression inside compression is not unpacked."),
    "compressed-data-damaged": ("file", "The gzip or zstd data ends early or is damaged; what came before was read."),
    "inflates-too-far": (
        "file",
        "Compressed data holds more than the bounds allow; what came before was read. Options raise them.",
    ),
    "file-header-damaged": ("file", "The file begins like a capture, but its header is cut or contradicts itself."),
    "netmon-capture": ("file", "A Microsoft Network Monitor capture: convert it first."),
    "etl-trace": ("file", "A Windows event trace: convert it first."),
    "snoop-capture": ("file", "A Solaris snoop capture: convert it first."),
    "changed-while-read": ("file", "The file changed or disappeared during the run; what could be read was analysed."),
    "no-packets": ("file", "The capture is whole, but holds no packets."),
    "clock-went-back": (
        "file",
        "Packets are not in order of time, so calls may not be either: no rule decides by what came first.",
    ),
    "duplicate-capture": ("file", "The same bytes were given under another name; they were analysed once."),
    "record-cut": ("file", "The file ends inside a record; the packets before it were read."),
    "record-length-absurd": ("file", "A record claims an impossible length; nothing after it can be trusted."),
    "record-beyond-snap-length": (
        "file",
        "Records are longer than the header allows, this one first; they were read as they are.",
    ),
    "block-malformed": ("file", "A pcapng block contradicts itself; nothing after it can be trusted."),
    "unsupported-link-type": ("file", "Packets of an interface whose link type mqtrail does not read."),
    "undeclared-interface": ("file", "Packets of a pcapng interface that no block describes."),
    "header-cut": ("packet", "The captured bytes end inside a header."),
    "malformed": ("packet", "A header contradicts itself."),
    "too-deep": ("packet", "More tunnels, tags or extension headers than mqtrail unwraps."),
    "fragment-incomplete": ("packet", "Fragments of an IP datagram are missing; the others cannot be used."),
    "fragment-overlap-differs": ("packet", "Overlapping IP fragments disagree; the first bytes stand."),
    "fragment-end-differs": ("packet", "An IP fragment contradicts where its datagram ends."),
    "fragment-too-many": ("packet", "More IP fragments than any datagram needs."),
    "fragment-too-large": ("packet", "IP fragments that reach beyond the largest datagram."),
    "fragment-empty": ("packet", "An IP fragment without bytes."),
    "fragment-odd-length": ("packet", "An IP fragment in the middle whose length is no multiple of 8."),
    "tcp-gap": ("stream", "Bytes of a kept connection are missing; the frame is the one that proved it."),
    "tcp-overlap-conflict": ("stream", "A retransmission has other bytes than the original; the first ones stand."),
    "key-shared-by-many": (
        "stream",
        "More conversations share a key than by accident: this one was given up, and goes on as one that is new.",
    ),
    "endpoints-not-followed": ("stream", "Announced endpoints were not all followed: see the detail."),
    "tower-malformed": ("stub", "A protocol tower of the endpoint mapper does not read as one; see the typed table."),
    "property-malformed": ("stub", "A property's value is not of the shape that its name has; see the typed table."),
    **{str(code): ("stream", meaning) for code, meaning in MEANINGS.items()},
    **{code: ("stub", consequence.meaning) for code, consequence in PROBLEMS.items()},
    **{code: ("message", consequence.meaning) for code, consequence in MESSAGE_PROBLEMS.items()},
    **{code: ("security descriptor", meaning) for code, meaning in DESCRIPTOR_PROBLEMS.items()},
}


class IssueRow(TypedDict):
    code: str
    detail: str
    capture_id: str | None
    path: str | None
    uid: str | None
    call_uid: str | None
    frame: int | None
    offset: int | None


ISSUES = Table(
    "issues",
    "One thing that could not be read, or not as it should be.",
    (
        Column(
            "code",
            STRING,
            "Stable name of the kind of problem; `mqtrail schema issues` lists them.",
            required=True,
            values=tuple(ISSUE_CODES),
        ),
        Column("detail", STRING, "What exactly, in words.", required=True),
        CAPTURE_ID.optional(),
        PATH.optional(),
        UID.optional(),
        Column("call_uid", STRING, "The RPC call concerned."),
        FRAME.optional(),
        Column(
            "offset",
            LONG,
            "Where: byte offset in the file, the packet, the TCP stream or the stub, as the code says. With an offset "
            "in a stub the frame is the first of that request or response.",
            low=0,
        ),
    ),
    no_key="One place may have the same trouble more than once.",
    relations=(Reference("path", "captures", "path"), OF_FLOW, OF_CALL, OF_CAPTURE),
)


def issue_row(
    code: str,
    detail: str,
    *,
    capture_id: str | None = None,
    path: str | None = None,
    uid: str | None = None,
    call_uid: str | None = None,
    frame: int | None = None,
    offset: int | None = None,
) -> IssueRow:
    """What is not given is not known, or does not concern one."""
    return {
        "code": code,
        "detail": detail,
        "capture_id": capture_id,
        "path": path,
        "uid": uid,
        "call_uid": call_uid,
        "frame": frame,
        "offset": offset,
    }
