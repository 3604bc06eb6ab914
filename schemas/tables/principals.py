"""principals: who is behind the security contexts of connections."""

from __future__ import annotations

import pyarrow as pa

from decoders.dcerpc.auth_contexts import AuthOutcome
from decoders.security.accounts import SecretFit
from decoders.security.ntlm_names import NtlmVersion
from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, U8, U32, Column, Table
from schemas.shared_columns import CAPTURE_ID, ID, OF_CAPTURE, OF_FLOW, UID, USERNAME

_ELSEWHERE = pa.list_(pa.struct([pa.field("capture_id", STRING), pa.field("frame", LONG)]))

PRINCIPALS = Table(
    "principals",
    "One security context of a connection: who a client says it is, to whom it speaks, and whether it was let in. "
    "`calls` name it by `uid` and `auth_context_id`.",
    (
        UID,
        Column(
            "auth_context_id",
            LONG,
            "Which of the connection's security contexts.",
            required=True,
            low=0,
            high=U32,
        ),
        Column("ts", TIMESTAMP, "Time of the first PDU that names it."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        ID,
        Column(
            "auth_type",
            INT,
            "Security provider: 9 SPNEGO, 10 NTLM, 16 Kerberos ...",
            required=True,
            low=0,
            high=U8,
        ),
        Column("auth_type_name", STRING, "Its name; null where the number has none."),
        Column("auth_level", INT, "2 connect, 4 packet, 5 integrity, 6 privacy.", required=True, low=0, high=U8),
        Column("auth_level_name", STRING, "Its name; null where the number has none."),
        Column(
            "mechanism",
            STRING,
            "What authenticates in the end, within SPNEGO too: `ntlm`, `kerberos`; null where no captured token tells.",
        ),
        Column("mechanisms", pa.list_(STRING), "What the client offered in SPNEGO, in its order."),
        USERNAME,
        Column("domain", STRING, "Its domain; with Kerberos its realm."),
        Column("workstation", STRING, "The client's name, as NTLM tells it."),
        Column(
            "name_sealed",
            BOOL,
            "The client's name is sealed in a Kerberos ticket, and no key opened it: see --secrets.",
            required=True,
        ),
        Column("ntlm_version", STRING, "What the client answers with.", values=tuple(map(str, NtlmVersion))),
        Column("ntlm_flags", pa.list_(STRING), "NegotiateFlags of the last NTLM message, by name."),
        Column("mic", BOOL, "NTLM's messages are protected by a MIC; null where the last one was not captured."),
        Column("key_exchanged", BOOL, "The client chose the NTLM session's key; null where that was not captured."),
        Column("client_version", STRING, "Version and build of the client's system in NTLM, e.g. `10.0.19041`."),
        Column("server_version", STRING, "Version and build of the server's system in NTLM."),
        Column("target_name", STRING, "TargetName of NTLM's challenge: the server's domain, or its own name."),
        Column("nb_computer_name", STRING, "The server's NetBIOS name in NTLM."),
        Column("nb_domain_name", STRING, "The NetBIOS name of its domain."),
        Column("dns_computer_name", STRING, "The server's DNS name."),
        Column("dns_domain_name", STRING, "The DNS name of its domain."),
        Column("dns_tree_name", STRING, "The DNS name of its forest."),
        Column("server_ts", TIMESTAMP, "The server's clock, as NTLM's challenge tells it."),
        Column("spn", STRING, "Service that the client thinks it speaks to, as NTLMv2 tells it."),
        Column(
            "channel_bindings", STRING, "Hash of the channel that NTLMv2 is bound to; null where it is bound to none."
        ),
        Column("machine_id", STRING, "Number of the client's start in NTLMv2, in hexadecimal: new with every start."),
        Column("realm", STRING, "Realm of the Kerberos ticket."),
        Column("service_name", STRING, "Service that the Kerberos ticket is for."),
        Column("ticket_etype", INT, "Encryption type of the ticket."),
        Column("ticket_etype_name", STRING, "Its name, e.g. `aes256-cts-hmac-sha1-96`."),
        Column("ticket_kvno", LONG, "Version of the service's key that the ticket is sealed with."),
        Column("ticket_auth_ts", TIMESTAMP, "When the client logged on, as the ticket says where a key opened it."),
        Column("ticket_end_ts", TIMESTAMP, "When the ticket ends."),
        Column("ap_options", pa.list_(STRING), "Options of the AP-REQ: `mutual-required`, `use-session-key`."),
        Column(
            "outcome",
            STRING,
            "`accepted`: the server answered a call, or accepted the last leg; `refused`: it refused the bind, or the "
            "first call with a fault that says so; `unknown`: nothing was captured that tells.",
            required=True,
            values=tuple(map(str, AuthOutcome)),
        ),
        Column("reason", STRING, "Why it was refused: name of the fault, of bind_nak's reason or of Kerberos' error."),
        Column(
            "secret",
            STRING,
            "Whether the secret given for the account, or with Kerberos for the service, is the one that was used: "
            "`right`, `wrong`, `unusable`; null where none was given.",
            values=tuple(map(str, SecretFit)),
        ),
        Column("frames", pa.list_(LONG), "Frames of that capture that hold its legs.", required=True),
        Column("elsewhere", _ELSEWHERE, "Frames in other captures, where it continues in the next file."),
        CAPTURE_ID,
    ),
    key=("uid", "auth_context_id"),
    relations=(OF_FLOW, OF_CAPTURE),
)
