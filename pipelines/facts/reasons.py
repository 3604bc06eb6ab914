"""Why something cannot be decided: the only words that findings and doubts use."""

from __future__ import annotations

import enum
from typing import Final


class Reason(enum.StrEnum):
    STARTED_MIDSTREAM = "started_midstream"
    BYTES_MISSING = "bytes_missing"
    BYTES_CONTRADICT = "bytes_contradict"
    SEALED = "sealed"
    BIND_NOT_SEEN = "bind_not_seen"
    ASSOCIATION_UNKNOWN = "association_unknown"
    REQUEST_NOT_CAPTURED = "request_not_captured"
    RESPONSE_NOT_CAPTURED = "response_not_captured"
    NOT_DECODED = "not_decoded"
    STUB_HAS_MORE = "stub_has_more"
    CAPTURE_ENDED = "capture_ended"
    OPEN_NOT_SEEN = "open_not_seen"
    GIVEN_EARLIER = "given_earlier"
    RESET = "reset"
    ENDING_UNKNOWN = "ending_unknown"
    SERVER_VERSION_UNKNOWN = "server_version_unknown"
    CLIENT_VERSION_UNKNOWN = "client_version_unknown"
    OTHERS_NOT_SEEN = "others_not_seen"
    SEVERAL_OPENS = "several_opens"
    ACTION_UNKNOWN = "action_unknown"
    TIMES_CROSS = "times_cross"
    NO_PAST = "no_past"
    LIMIT = "limit"
    TEXTS_CONTRADICT = "texts_contradict"


REASONS: Final = {
    Reason.STARTED_MIDSTREAM: "The connection or association began before the capture did.",
    Reason.BYTES_MISSING: "Bytes between the two hosts are missing, or could not be read, in the time that matters.",
    Reason.BYTES_CONTRADICT: "Segments contradict each other: nobody knows which bytes the receiver took.",
    Reason.SEALED: "The payload is encrypted.",
    Reason.BIND_NOT_SEEN: "The interface is not known from a bind: inferred, or not known at all.",
    Reason.ASSOCIATION_UNKNOWN: "Nobody knows which connections an association has: no answer to a bind was captured, "
    "or one from another address joined it.",
    Reason.REQUEST_NOT_CAPTURED: "The request was not captured, or not whole.",
    Reason.RESPONSE_NOT_CAPTURED: "The answer was not captured, or not whole.",
    Reason.NOT_DECODED: "The values are too many, or too odd, to be decoded.",
    Reason.STUB_HAS_MORE: "Bytes follow the last parameter, and the declaration does not explain them.",
    Reason.CAPTURE_ENDED: "The capture ended first.",
    Reason.OPEN_NOT_SEEN: "What the call refers to was begun out of sight: the server accepts it, or does not deny it.",
    Reason.GIVEN_EARLIER: "The client may have it from an earlier connection, which is over or was not captured.",
    Reason.RESET: "The client reset its last connection: a crash does that too, and leaves no chance to do better.",
    Reason.ENDING_UNKNOWN: "It is not known which side ended the connection, or the server forgot what was open.",
    Reason.SERVER_VERSION_UNKNOWN: "Products differ here, and the server's version was not seen.",
    Reason.CLIENT_VERSION_UNKNOWN: "Products differ here, and the client's version was not seen.",
    Reason.OTHERS_NOT_SEEN: "Somebody whose traffic is not in the capture may have done it.",
    Reason.SEVERAL_OPENS: "Several opens that are open have the number by which the call names its queue.",
    Reason.ACTION_UNKNOWN: "No document has the action asked for, so that nobody knows what the server did.",
    Reason.TIMES_CROSS: "Two packets may have crossed on their way.",
    Reason.NO_PAST: "The captures show nothing of this server from an earlier day: what is usual is not known.",
    Reason.LIMIT: "More was going on at once than is kept in mind.",
    Reason.TEXTS_CONTRADICT: "The documents contradict each other, or themselves, on this.",
}
