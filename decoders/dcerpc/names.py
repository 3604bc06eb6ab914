"""Numbers of the PDUs and what they are called in the specifications."""

from __future__ import annotations

from typing import Final

RESULT: Final = {0: "acceptance", 1: "user_rejection", 2: "provider_rejection", 3: "negotiate_ack"}
"""p_cont_def_result_t: [C706] 12.6.3.1, [MS-RPCE] 2.2.2.4."""
ACCEPTANCE: Final = 0
PROVIDER_REJECTION: Final = 2
NEGOTIATE_ACK: Final = 3

PROVIDER_REASON: Final = {
    0: "reason_not_specified",
    1: "abstract_syntax_not_supported",
    2: "proposed_transfer_syntaxes_not_supported",
    3: "local_limit_exceeded",
}
"""p_provider_reason_t: [C706] 12.6.3.1."""

REJECT_REASON: Final = {
    0: "reason_not_specified",
    1: "temporary_congestion",
    2: "local_limit_exceeded",
    3: "called_paddr_unknown",
    4: "protocol_version_not_supported",
    5: "default_context_not_supported",
    6: "user_data_not_readable",
    7: "no_psap_available",
    8: "authentication_type_not_recognized",
    9: "invalid_checksum",
}
"""p_reject_reason_t of bind_nak: [C706] 12.6.3.1, [MS-RPCE] 2.2.2.5."""

AUTH_TYPE: Final = {
    0x00: "none",
    0x01: "krb5",
    0x09: "spnego",
    0x0A: "ntlm",
    0x0E: "schannel",
    0x10: "kerberos",
    0x44: "netlogon",
    0x64: "msmq",
    0xFF: "default",
}
"""[MS-RPCE] 2.2.1.1.7; 1 is DCE's own Kerberos, [C706] 13.1.2."""

AUTH_LEVEL: Final = {
    0: "default",
    1: "none",
    2: "connect",
    3: "call",
    4: "pkt",
    5: "pkt_integrity",
    6: "pkt_privacy",
}
"""[MS-RPCE] 2.2.1.1.8."""

CHARACTERS: Final = {0: "ASCII", 1: "EBCDIC"}
FLOATS: Final = {0: "IEEE", 1: "VAX", 2: "Cray", 3: "IBM"}
"""Data representation, [C706] 14.2.5."""

FEATURE_BITS: Final = {0x01: "SecurityContextMultiplexingSupported", 0x02: "KeepConnectionOnOrphanSupported"}
"""[MS-RPCE] 2.2.2.14."""

TRANSFER_SYNTAX: Final = {
    "8a885d04-1ceb-11c9-9fe8-08002b104860": "ndr",
    "71710533-beba-4937-8319-b5dbef9ccc36": "ndr64",
}
"""[MS-RPCE] 2.2.4.12, 2.2.5.1."""
