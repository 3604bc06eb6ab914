"""What can be wrong with the RPC on a connection: codes of the table `issues`, each with its meaning."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from decoders.tcp.model import Side

CallKey: TypeAlias = "tuple[Side, int]"
"""Sender and stream offset of the first PDU seen of a call: the same in every run over the same captures."""


class TroubleCode(enum.StrEnum):
    RESYNCHRONISED = "rpc-resynchronised"
    NOT_RPC = "rpc-bytes-not-rpc"
    PDU_CUT = "rpc-pdu-cut"
    PDU_MALFORMED = "rpc-pdu-malformed"
    FRAGMENT_MISSING = "rpc-fragment-missing"
    PAIRING_UNCERTAIN = "rpc-pairing-uncertain"
    CONTEXT_UNKNOWN = "rpc-context-unknown"
    CONTEXT_REJECTED = "rpc-context-rejected"
    CONTEXT_MISMATCH = "rpc-context-mismatch"
    ANSWER_MISMATCH = "rpc-bind-answer-mismatch"
    AUTH_TRAILER_BAD = "rpc-auth-trailer-bad"
    AUTH_LEG_BAD = "rpc-auth-token-bad"
    VERIFICATION_BAD = "rpc-verification-trailer-bad"
    SIGNATURE_BAD = "rpc-signature-bad"
    UNSEALING_LOST = "rpc-unsealing-lost"
    WRONG_SECRET = "secret-wrong"  # noqa: S105 - a code, no secret
    UNUSABLE_SECRET = "secret-unusable"  # noqa: S105
    CALL_ID_REUSED = "rpc-call-id-reused"
    DATA_REPRESENTATION = "rpc-data-representation"
    STUB_TOO_LARGE = "rpc-stub-too-large"
    TOO_MANY_CALLS = "rpc-too-many-calls"
    TOO_MANY_CONTEXTS = "rpc-too-many-contexts"
    TOO_MANY_FRAMES = "rpc-too-many-frames"


MEANINGS: Final = {
    TroubleCode.RESYNCHRONISED: "Bytes passed over until the next PDU was found: PDUs in them are not in the tables.",
    TroubleCode.NOT_RPC: "Bytes that are no PDU on a connection that speaks DCE/RPC.",
    TroubleCode.PDU_CUT: "A PDU whose header was captured and of which later bytes are missing.",
    TroubleCode.PDU_MALFORMED: "A PDU whose fields do not fit into it.",
    TroubleCode.FRAGMENT_MISSING: "A request or response of which a fragment was not captured; its stub ends there.",
    TroubleCode.PAIRING_UNCERTAIN: "An answer that an open request may have, or one that was not captured: not paired.",
    TroubleCode.CONTEXT_UNKNOWN: "Requests on a presentation context that no captured bind explains; told once each.",
    TroubleCode.CONTEXT_REJECTED: "Requests on a presentation context that the server had refused; told once each.",
    TroubleCode.CONTEXT_MISMATCH: "An answer or fragment names another presentation context than its request.",
    TroubleCode.ANSWER_MISMATCH: "An answer to a bind has more or fewer results than contexts were proposed.",
    TroubleCode.AUTH_TRAILER_BAD: "The lengths of a security trailer contradict the PDU, or fragments disagree on it.",
    TroubleCode.AUTH_LEG_BAD: "An authentication token does not read as what it begins like, or begins again.",
    TroubleCode.VERIFICATION_BAD: "A verification trailer contradicts its request or the bind: it is left in the stub.",
    TroubleCode.SIGNATURE_BAD: "A PDU's signature does not fit, though the keys are right: it was changed or forged.",
    TroubleCode.UNSEALING_LOST: "Bytes are missing, and PDUs behind them may stay sealed; once a direction.",
    TroubleCode.WRONG_SECRET: "The secret of an account or service is not the one that was used; once a context.",
    TroubleCode.UNUSABLE_SECRET: "The secret of an account or service cannot be used: see the detail; once a context.",
    TroubleCode.CALL_ID_REUSED: "A request carries the call id of an earlier one, to which no answer came out.",
    TroubleCode.DATA_REPRESENTATION: "Characters are not ASCII or floats not IEEE: read as if they were. Told once.",
    TroubleCode.STUB_TOO_LARGE: "More stub than is kept: the stub ends at the limit.",
    TroubleCode.TOO_MANY_CALLS: "More calls under way than are kept: the oldest is given up.",
    TroubleCode.TOO_MANY_CONTEXTS: "More contexts or binds than are remembered: later ones stay unknown.",
    TroubleCode.TOO_MANY_FRAMES: "More frames than are listed for one request or response.",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A row of the table `issues`."""

    code: TroubleCode
    detail: str
    sender: Side
    capture: int
    frame: int
    offset: int
    """In the sender's stream."""
    call: CallKey | None = None
