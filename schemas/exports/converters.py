"""What is made of our values on their way to other tools. Docstrings here are words of the page about the exports."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from schemas.exports.zeek_names import OTHERS

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_READ: Final = frozenset(("peeked", "acked", "nacked", "rundown"))
_SEVERITY_BIT: Final = 0x8000_0000
"""[MS-ERREF] 2.1: set in an HRESULT or NTSTATUS that is an error."""


def iso(time: dt.datetime) -> str:
    """ISO 8601 with microseconds, UTC."""
    return time.astimezone(dt.UTC).isoformat(timespec="microseconds")


def micros(time: dt.datetime) -> int:
    """Microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def millis(time: dt.datetime) -> int:
    """Milliseconds since 1970, rounded down."""
    return micros(time) // 1000


def seconds(time: dt.datetime) -> float:
    """Seconds since 1970 with six decimals."""
    return micros(time) / 1_000_000


def in_seconds(microseconds: int) -> float:
    """In seconds."""
    return microseconds / 1_000_000


def in_nanoseconds(microseconds: int) -> int | None:
    """In nanoseconds; nothing where it is negative."""
    return microseconds * 1000 if microseconds >= 0 else None


def span_seconds(first: dt.datetime | None, last: dt.datetime | None) -> float | None:
    """From the first to the second, in seconds."""
    return None if first is None or last is None else in_seconds((last - first) // _MICROSECOND)


def span_nanoseconds(first: dt.datetime | None, last: dt.datetime | None) -> int | None:
    """From the first to the second, in nanoseconds."""
    return None if first is None or last is None else in_nanoseconds((last - first) // _MICROSECOND)


def span_milliseconds(first: dt.datetime | None, last: dt.datetime | None) -> int | None:
    """From the first to the second, in milliseconds."""
    return None if first is None or last is None else (last - first) // _MICROSECOND // 1000


def first_known(*times: dt.datetime | None) -> float | None:
    """Seconds since 1970 of the first that is known."""
    return next((seconds(time) for time in times if time is not None), None)


def first_iso(*times: dt.datetime | None) -> str | None:
    """ISO 8601 with microseconds, UTC, of the first that is known."""
    return next((iso(time) for time in times if time is not None), None)


def first_millis(*times: dt.datetime | None) -> int | None:
    """Milliseconds since 1970 of the first that is known, rounded down."""
    return next((millis(time) for time in times if time is not None), None)


def nanoseconds_of_session(
    opened: dt.datetime | None, first: dt.datetime | None, closed: dt.datetime | None
) -> int | None:
    """From its opening, else its first call, to its close, in nanoseconds."""
    return span_nanoseconds(opened or first, closed)


def milliseconds_of_session(
    opened: dt.datetime | None, first: dt.datetime | None, closed: dt.datetime | None
) -> int | None:
    """From its opening, else its first call, to its close, in milliseconds."""
    return span_milliseconds(opened or first, closed)


def read_outcome(outcome: str) -> str:
    """`success`: a message was read, whatever became of it then; `unknown`: its end was not seen; else `failure`."""
    return {"unfinished": "unknown"}.get(outcome, "success" if outcome in _READ else "failure")


def endpoint_name(name: str | None, uuid: str | None) -> str | None:
    """Zeek's name of the interface: `epmapper` for `epm`; `unknown-<uuid>` where it has none."""
    if uuid in OTHERS:
        return OTHERS[uuid].endpoint
    if name is None:
        return None if uuid is None else f"unknown-{uuid}"
    return "epmapper" if name == "epm" else name


def operation_name(name: str | None, opnum: int | None, uuid: str | None) -> str | None:
    """The specification's name, of some interfaces that are not MSMQ's Zeek's; `unknown-<opnum>` where it has none."""
    if name is not None or opnum is None:
        return name
    others = OTHERS[uuid].operations if uuid in OTHERS else {}
    return others.get(opnum, f"unknown-{opnum}")


def result(status_name: str | None, status: int | None, fault_name: str | None, fault: int | None) -> str | None:
    """Name of the fault or of the status, else its number."""
    for name, number in ((fault_name, fault), (status_name, status)):
        if number is not None:
            return name or f"0x{number:08x}"
    return None


def call_outcome(outcome: str, status: int | None, fault: int | None, endpoint: str | None, state: str) -> str:
    """`failure`: a fault, or a status that is an error; `success`; `unknown`: sealed, unanswered or not decoded."""
    if fault is not None:
        return "failure"
    if outcome != "answered" or (status is None and state != "full"):
        return "unknown"
    failed = status is not None and (status != 0 if endpoint == "epm" else status & _SEVERITY_BIT)
    return "failure" if failed else "success"


def decided(verdict: str) -> bool:
    """Violations and detections; what is not decidable accuses nobody and stays in the table."""
    return verdict != "not_decidable"


def both(*values: str | None) -> list[str]:
    """All of them that are known, each once."""
    return list(dict.fromkeys(value for value in values if value is not None))


def listed(value: str) -> list[str]:
    """In a list."""
    return [value]


def summed(*values: int) -> int:
    """Their sum."""
    return sum(values)


def some(values: list[Any]) -> list[Any] | None:
    """Nothing where the list is empty."""
    return values or None


def techniques(attack: list[str]) -> list[str] | None:
    """Techniques; of a subtechnique the one it belongs to."""
    return some(list(dict.fromkeys(one.partition(".")[0] for one in attack)))


def subtechniques(attack: list[str]) -> list[str] | None:
    """Those with a dot."""
    return some([one for one in attack if "." in one])
