"""Zeek's logs: fields in Zeek's order, with its types. Names as in its own scripts, versions 7 and 8."""

from __future__ import annotations

from typing import Final

from schemas.exports.converters import (
    decided,
    endpoint_name,
    first_known,
    in_seconds,
    operation_name,
    seconds,
    span_seconds,
)
from schemas.exports.model import Condition, Field, Lookup, Mapping
from schemas.exports.sentences import QUEUE, WHO, named_queue, who
from schemas.tables import CALLS, CAPTURES, FINDINGS, FLOWS, ISSUES, PRINCIPALS
from schemas.tables.issues import ISSUE_CODES


def service(pdus: int) -> str | None:
    """`dce_rpc` where PDUs of it were met."""
    return "dce_rpc" if pdus else None


def note(rule_id: str) -> str:
    """`MSMQ::` and the rule."""
    return f"MSMQ::{rule_id}"


NOTICE_COLUMNS: Final = ("title", *QUEUE, *WHO)


def notice_sentence(title: str, queue: str | None, doubt: str | None, *account: str | None) -> str:
    """Title, queue, and who: the account, and the person for whom it acted."""
    by = who(*account)
    return ", ".join(filter(None, (title, named_queue(queue, doubt), f"by {by}" if by else "")))


def joined(attack: list[str]) -> str | None:
    """With commas between them; nothing where there are none."""
    return ", ".join(attack) or None


def layer(code: str) -> str | None:
    """What was being read: `file`, `packet`, `stream`, `stub` ..."""
    return ISSUE_CODES[code][0] if code in ISSUE_CODES else None


def by_ntlm(mechanism: str | None) -> bool:
    """Security contexts of NTLM, also within SPNEGO."""
    return mechanism == "ntlm"


def let_in(outcome: str) -> bool | None:
    """Whether the server accepted it; unset where that was not seen."""
    return {"accepted": True, "refused": False}.get(outcome)


def _connection(time: Field, of: str = "") -> tuple[Field, ...]:
    """What every log begins with."""
    kinds = {"orig_h": "addr", "orig_p": "port", "resp_h": "addr", "resp_p": "port"}
    return (
        time,
        Field("uid", "uid", kind="string"),
        *(Field(f"id.{end}", f"{of}id.{end}", kind=kind) for end, kind in kinds.items()),
    )


DCE_RPC: Final = Mapping(
    "dce_rpc",
    CALLS.name,
    "One line a call, answered or not; Zeek itself logs answered ones only.",
    (
        *_connection(Field("ts", "ts", seconds, kind="time")),
        Field("rtt", "rtt_us", in_seconds, kind="interval"),
        Field("named_pipe", kind="string"),
        Field("endpoint", ("endpoint", "interface_uuid"), endpoint_name, kind="string"),
        Field("operation", ("operation", "opnum", "interface_uuid"), operation_name, kind="string"),
    ),
)

CONN: Final = Mapping(
    "conn",
    FLOWS.name,
    "One line a TCP connection kept.",
    (
        *_connection(Field("ts", "first_ts", seconds, kind="time")),
        Field("proto", always="tcp", kind="enum"),
        Field("service", "pdus_recognised", service, kind="string"),
        Field("duration", ("first_ts", "last_ts"), span_seconds, kind="interval"),
        Field("orig_bytes", "orig_bytes", kind="count"),
        Field("resp_bytes", "resp_bytes", kind="count"),
        Field("conn_state", "conn_state", kind="string"),
        Field("local_orig", kind="bool"),
        Field("local_resp", kind="bool"),
        Field("missed_bytes", "missed_bytes", kind="count"),
        Field("history", "history", kind="string"),
        Field("orig_pkts", "orig_pkts", kind="count"),
        Field("orig_ip_bytes", kind="count"),
        Field("resp_pkts", "resp_pkts", kind="count"),
        Field("resp_ip_bytes", kind="count"),
        Field("tunnel_parents", kind="set[string]"),
        Field("ip_proto", always=6, kind="count"),
        Field("community_id", "community_id", kind="string"),
    ),
)

WEIRD: Final = Mapping(
    "weird",
    ISSUES.name,
    "One line an issue, in the order of files and frames. An issue has no time of its own.",
    (
        *_connection(
            Field("ts", ("calls.ts", "flows.first_ts", "captures.first_ts"), first_known, kind="time"), "flows."
        ),
        Field("name", "code", kind="string"),
        Field("addl", "detail", kind="string"),
        Field("notice", always=False, kind="bool"),
        Field("peer", always="mqtrail", kind="string"),
        Field("source", "code", layer, kind="string"),
    ),
    lookups=(
        Lookup("call_uid", CALLS.name, "call_uid"),
        Lookup("uid", FLOWS.name, "uid"),
        Lookup("path", CAPTURES.name, "path"),
    ),
)

NOTICE: Final = Mapping(
    "notice",
    FINDINGS.name,
    "One line a finding.",
    (
        *_connection(Field("ts", "ts", seconds, kind="time")),
        Field("fuid", kind="string"),
        Field("file_mime_type", kind="string"),
        Field("file_desc", kind="string"),
        Field("proto", always="tcp", kind="enum"),
        Field("note", "rule_id", note, kind="enum"),
        Field("msg", NOTICE_COLUMNS, notice_sentence, kind="string"),
        Field("sub", "attack", joined, kind="string"),
        Field("src", "id.orig_h", kind="addr"),
        Field("dst", "id.resp_h", kind="addr"),
        Field("p", "id.resp_p", kind="port"),
        Field("n", "count", kind="count"),
        Field("peer_descr", kind="string"),
        Field("actions", always=["Notice::ACTION_LOG"], kind="set[enum]"),
        Field("email_dest", always=[], kind="set[string]"),
        Field("suppress_for", always=0.0, kind="interval"),
        Field("remote_location.country_code", kind="string"),
        Field("remote_location.region", kind="string"),
        Field("remote_location.city", kind="string"),
        Field("remote_location.latitude", kind="double"),
        Field("remote_location.longitude", kind="double"),
    ),
    only=Condition("verdict", decided),
)

NTLM: Final = Mapping(
    "ntlm",
    PRINCIPALS.name,
    "One line an NTLM authentication: a connection may have several.",
    (
        *_connection(Field("ts", "ts", seconds, kind="time")),
        Field("username", "username", kind="string"),
        Field("hostname", "workstation", kind="string"),
        Field("domainname", "domain", kind="string"),
        Field("server_nb_computer_name", "nb_computer_name", kind="string"),
        Field("server_dns_computer_name", "dns_computer_name", kind="string"),
        Field("server_tree_name", "dns_tree_name", kind="string"),
        Field("success", "outcome", let_in, kind="bool"),
    ),
    only=Condition("mechanism", by_ntlm),
)

STREAMS: Final = (DCE_RPC, CONN, WEIRD, NOTICE, NTLM)
