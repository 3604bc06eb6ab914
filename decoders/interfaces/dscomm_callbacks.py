"""What a directory server asks its client while it is being asked: [MS-MQDS] 3.2.4, with opnums of their own."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import BYTE, HRESULT, UNSIGNED_CHAR, UNSIGNED_LONG
from decoders.ndr.model import Array, Direction, Operation, Parameter

_IN: Final = Direction.IN
_OUT: Final = Direction.OUT
_IN_OUT: Final = Direction.IN | Direction.OUT
_MOST_BYTES: Final = (0, 524_288)
_CONTEXT: Final = value("dwContext", UNSIGNED_LONG)


def _challenge(answer: str, size: str, most: str) -> tuple[Parameter, ...]:
    """The spelling is the document's."""
    return (
        reference(_IN, "abChallenge", Array(BYTE, size_is="dwCallengeSize")),
        value("dwCallengeSize", UNSIGNED_LONG, (0, 32)),
        _CONTEXT,
        reference(_IN_OUT, answer, Array(BYTE, size_is=most, length_is=f"*{size}")),
        reference(_IN_OUT, size, UNSIGNED_LONG),
        value(most, UNSIGNED_LONG, (0, 128)),
    )


CALLBACKS: Final = (
    Operation(
        0,
        "S_DSQMSetMachinePropertiesSignProc",
        _challenge("abSignature", "pdwSignatureSize", "dwSignatureMaxSize"),
        HRESULT,
        "3.2.4.1",
        "Asks the client of S_DSQMSetMachineProperties to sign a challenge; obsolete.",
        takes_handle_t=False,
    ),
    Operation(
        1,
        "S_DSQMGetObjectSecurityChallengeResponceProc",
        _challenge("abCallengeResponce", "pdwCallengeResponceSize", "dwCallengeResponceMaxSize"),
        HRESULT,
        "3.2.4.2",
        "Asks the client of S_DSQMGetObjectSecurity to sign a challenge; obsolete.",
        takes_handle_t=False,
    ),
    Operation(
        2,
        "S_InitSecCtx",
        (
            _CONTEXT,
            reference(_IN, "pServerbuff", Array(UNSIGNED_CHAR, size_is="dwServerBuffSize")),
            value("dwServerBuffSize", UNSIGNED_LONG, _MOST_BYTES),
            value("dwClientBuffMaxSize", UNSIGNED_LONG, _MOST_BYTES),
            reference(
                _OUT,
                "pClientBuff",
                Array(UNSIGNED_CHAR, size_is="dwClientBuffMaxSize", length_is="*pdwClientBuffSize"),
            ),
            reference(_OUT, "pdwClientBuffSize", UNSIGNED_LONG),
        ),
        HRESULT,
        "3.2.4.3",
        "Goes on with the authentication that the client of S_DSValidateServer began.",
        takes_handle_t=False,
    ),
)
