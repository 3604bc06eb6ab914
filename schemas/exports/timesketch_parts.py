"""What events of Timesketch share, and which rows become events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.well_known import MSMQ, MSMQ_COM
from schemas.exports.attached_findings import finding_fields, findings_of, marks
from schemas.exports.converters import both, iso, micros
from schemas.exports.model import Field

if TYPE_CHECKING:
    from collections.abc import Callable


def of_message_queuing(interface_uuid: str | None) -> bool:
    """Calls of message queuing's interfaces."""
    return interface_uuid in MSMQ or interface_uuid in MSMQ_COM


def by_script(via: str) -> bool:
    """Calls through IDispatch."""
    return via == "invoke"


def call_time_means(fault: int | None, _: str) -> str:
    """`RPC Fault` or `RPC Call`."""
    return "RPC Call" if fault is None else "RPC Fault"


def opening_not_seen(opened: object) -> bool:
    """Sessions whose opening was not captured."""
    return opened is None


def no_message_seen(given: object) -> bool:
    """Reads of which no message was seen to be given."""
    return given is None


def changing(is_query: object) -> bool:
    """Acts that do more than ask."""
    return not is_query


def not_seen_sent(calls: list[dict[str, str]] | None) -> bool:
    """Messages that no captured call sent."""
    return not any(call["seen_as"] == "sent" for call in calls or ())


def finding_marks(level: str, verdict: str, attack: list[str]) -> list[str]:
    """Level, verdict and techniques."""
    return both(level, verdict, *attack)


BY: Final = ("username", "domain", "opened_for_username")
NAMED: Final = ("queue_name", "named_by", "naming_doubt")


def event(
    kind: str, time: str, columns: tuple[str, ...], say: Callable[..., str], means: str = ""
) -> tuple[Field, ...]:
    """What Timesketch wants of every event."""
    return (
        Field("message", columns, say),
        Field("datetime", time, iso),
        Field("timestamp", time, micros),
        *((Field("timestamp_desc", always=means),) if means else ()),
        Field("data_type", always=f"windows:msmq:{kind}"),
    )


def same(*columns: str) -> tuple[Field, ...]:
    return tuple(Field(column, column) for column in columns)


def tags_and_findings(outcome: str, *calls: str) -> tuple[Field, ...]:
    """Tags, and what was found of the calls that the columns name."""
    return Field("tag", (outcome, *(findings_of(call).called for call in calls)), marks), *finding_fields(*calls)


CONNECTION: Final = same("uid", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p")
OF_CALL: Final = (findings_of("call_uid"),)
