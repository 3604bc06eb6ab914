"""Acts that change or administer, or only ask: rows of admin_actions in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.keeping import FirstRows
from pipelines.report.limits import CHANGES_SHOWN, FRAMES_TOLD, MAX_ROWS, VALUE
from pipelines.report.packing import clipped, fitted
from pipelines.report.rights import OWNER, rights_sentence, shortened
from pipelines.report.sessions import queue_of
from pipelines.report.words import account, some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
CHANGES_TOLD: Final = 3
CHANGE: Final = 110
"""Characters of one, on one line."""
SECURITY: Final = "security"
SEALED: Final = "sealed"
_READ: Final = (
    *("call_uid", "ts", "operation", "endpoint", "action", "is_query", "target_type", "target", "queue_name"),
    *("session_uid", "username", "domain", "opened_for", "outcome", "status", "status_name", "changes", "detail"),
    *("doubt", "auth_level", "request_frames", "response_frames", "capture_id"),
    *("opened_for_username", "opened_for_domain", "naming_doubt", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p"),
)
COLUMNS: Final = (
    *("call_uid", "ts", "kind", "what", "operation", "endpoint", "target_type", "target", "queue", "session_uid"),
    *("client", "client_port", "server", "server_port", "user", "opened_for", "opened_for_user", "outcome", "result"),
    "naming_doubt",
    *("doubt", "auth_level", "request_frames", "response_frames", "capture_id", "changes", "changes_left_out"),
)
_OUTCOMES: Final = {"success": "done", "failure": "refused", "unknown": "answer not seen"}
_COUNTED: Final = {"query": "inspected", "admin": "administered"}
_NAMES: Final = {"query": "Inquiry", "other": "Unknown action"}
_SEALED: Final = {"query": "An inquiry", "other": "An action"}
"""Where the operation does not tell what was asked for."""
_JOINTS: Final = {"query": "about", "other": "on"}
_PREFIX: Final = re.compile(r"PROPID_(?:MGMT_(?:QUEUE|MSMQ)|[A-Z]+)_")


@dataclass(frozen=True, slots=True)
class ReportedAct:
    kind: str
    """Of the timeline."""
    what: str
    outcome: str
    """In words."""
    ts: int | None
    client: str
    server: str
    user: str | None
    queue: str | None
    target: str
    """What it was about, where that is no queue."""
    opened_for: str | None
    opened_for_user: str | None
    naming_doubt: str | None
    """Why the queue may be another."""
    call_uid: str
    session_uid: str | None
    doubt: str | None

    @property
    def done(self) -> bool:
        return self.outcome == "done"

    @property
    def sealed(self) -> bool:
        return self.outcome == SEALED

    @property
    def counts_as(self) -> str | None:
        """What it adds to who did it; None: nothing came of it, or its session tells it."""
        if self.kind == "purge":
            return "purges_unknown" if self.unknown else "purges" if self.done and not self.session_uid else None
        return "sealed" if self.sealed else _COUNTED[self.kind] if self.done else None

    @property
    def unknown(self) -> bool:
        """Nobody knows whether it was done."""
        return self.outcome in (SEALED, _OUTCOMES["unknown"])


class ReportedActs:
    def __init__(self, sessions: Mapping[str, Row]) -> None:
        """`sessions`: by uid, as far as they are told: they know the number of a queue that nothing names."""
        self._sessions = sessions
        self._first: FirstRows[Row] = FirstRows(MAX_ROWS["acts"], _changes_first)

    def each(self, tables: Tables) -> Iterator[ReportedAct]:
        for row in tables.rows("admin_actions", _READ):
            self._first.add(row)
            yield self._act(row)

    def rows(self) -> list[Row]:
        """Those that change first."""
        return [self._shown(row) for row in self._first.rows()]

    def section(self, rows: list[Row]) -> Section:
        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'acts')}, those that change first. All are in the table admin_actions."

        return fitted(
            "acts", COLUMNS, rows, self._first.seen, cut, lambda row: (row["ts"] or 0, row["call_uid"], row["what"])
        )

    def _act(self, row: Row) -> ReportedAct:
        session = self._sessions.get(row["session_uid"] or "")
        return ReportedAct(
            "query" if row["is_query"] else "purge" if row["action"] == "purge" else "admin",
            clipped(_what(row)) or "",
            _outcome(row),
            row["ts"],
            row["id.orig_h"],
            row["id.resp_h"],
            clipped(account(row["username"], row["domain"])),
            clipped(row["queue_name"]) or (queue_of(session) if session else None),
            clipped(row["target"]) or row["target_type"] or "an object not known",
            row["opened_for"],
            clipped(account(row["opened_for_username"], row["opened_for_domain"])),
            row["naming_doubt"] if row["queue_name"] else None,
            row["call_uid"],
            row["session_uid"],
            # The outcome says it.
            None if _outcome(row) == SEALED else row["doubt"],
        )

    def _shown(self, row: Row) -> Row:
        act = self._act(row)
        changes = row["changes"] or []
        status = None if row["status"] is None else f"0x{row['status']:08x}"
        of_act = {name: getattr(act, name) for name in ReportedAct.__dataclass_fields__}
        return of_act | {
            **{name: row[name] for name in ("operation", "endpoint", "target_type", "auth_level", "capture_id")},
            "action": row["action"],
            "brief": _brief(row),
            "client_port": row["id.orig_p"],
            "server_port": row["id.resp_p"],
            "result": row["status_name"] or status,
            "request_frames": (row["request_frames"] or [])[:FRAMES_TOLD],
            "response_frames": (row["response_frames"] or [])[:FRAMES_TOLD],
            "changes": [_whole(one, row["target_type"]) for one in changes[:CHANGES_SHOWN]],
            "changes_left_out": max(0, len(changes) - CHANGES_SHOWN),
        }


def _changes_first(row: Row) -> tuple[Any, ...]:
    return bool(row["is_query"]), row["ts"] or 0, row["call_uid"]


def _outcome(row: Row) -> str:
    if row["outcome"] == "unknown" and row["doubt"] == SEALED:
        return SEALED
    return str(_OUTCOMES.get(row["outcome"], row["outcome"]))


def _what(row: Row) -> str:
    of = row["target"] if row["target"] and not row["queue_name"] else row["target_type"]
    named = _NAMES.get(row["action"]) or row["action"].replace("_", " ").capitalize()
    act = f"{named} {_JOINTS.get(row['action'], 'of')} {of}" if of else named
    if _outcome(row) == SEALED and not row["changes"]:
        return f"{_SEALED.get(row['action'], act)}, sealed"
    changes = row["changes"] or []
    say = _asked if row["is_query"] else _change
    told = [say(one, row["target_type"]) for one in changes[:CHANGES_TOLD]]
    if len(changes) > CHANGES_TOLD:
        told.append(f"{len(changes) - CHANGES_TOLD} more")
    said = "; ".join(told) or row["detail"] or ""
    return f"{act}: {said}" if said else act


def _brief(row: Row) -> str:
    """For a sentence."""
    named = str(row["action"]).replace("_", " ")
    now = [_rights(one["new"], row["target_type"]) for one in row["changes"] or () if one["name"] == SECURITY]
    told = row["action"] == "set_security" and any(now)
    return clipped(f"{named}: {_line(now[0])}" if told else named) or ""


def _change(one: Row, kind: str | None) -> str:
    if one["name"] == SECURITY and (now := _rights(one["new"], kind)):
        # What is set without its owner leaves the owner as it was.
        owned = any(said.startswith(OWNER) for said in now)
        before = [said for said in _rights(one["old"], kind) if owned or not said.startswith(OWNER)]
        was = f" (before: {_line(before)})" if before and before != now else ", as before" if before else ""
        return f"{_line(now)}{was}"
    old = f"{one['old']} \N{RIGHTWARDS ARROW} " if one["old"] is not None else ""
    text = f"{property_name(one['name'])}: {old}{one['new']}"
    return text if len(text) <= CHANGE else f"{text[:CHANGE]}\N{HORIZONTAL ELLIPSIS}"


def _asked(one: Row, _: str | None) -> str:
    """What was answered stands on the page of the act."""
    return property_name(one["name"])


def _line(rights: list[str]) -> str:
    return shortened("; ".join(rights))


def _rights(sddl: str | None, kind: str | None) -> list[str]:
    return rights_sentence(sddl, of_queue=kind == "queue") if sddl else []


def _whole(one: Row, kind: str | None) -> list[Any]:
    """Name, value before and now, each also as rights in words, and the call that showed the one before."""
    old, new = clipped(one["old"], VALUE), clipped(one["new"], VALUE)
    secured = one["name"] == SECURITY
    return [
        clipped(one["name"]),
        property_name(clipped(one["name"]) or ""),
        old,
        new,
        _rights(one["old"], kind) if secured else [],
        _rights(one["new"], kind) if secured else [],
        one["old_call_uid"],
    ]


def property_name(name: str) -> str:
    """`label` for PROPID_Q_LABEL."""
    found = _PREFIX.match(name)
    return name[found.end() :].lower().replace("_", " ") if found else name
