"""Hosts and accounts, with what sessions say they did."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.counting import GroupCounts
from pipelines.report.keeping import FirstRows
from pipelines.report.limits import HOSTS_HELD, MAX_ROWS, NAMES_TOLD
from pipelines.report.packing import clipped, fitted
from pipelines.report.words import account, some

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.report.acts import ReportedAct
    from pipelines.report.packing import Section
    from pipelines.store.tables import Tables

Row = dict[str, Any]
_HOST: Final = (
    *("address", "roles", "serves", "called", "queue_managers", "computer_names", "versions"),
    *("first_seen", "last_seen"),
)
_DID: Final = {"sessions": None, "removed": "acked", "purges": "purges", "moves": "moves", "bytes": "message_bytes"}
_ACTS: Final = ("administered", "inspected", "sealed", "purges_unknown")
_CONTEXTS: Final = ("contexts", "accepted", "refused")
_SECRETS: Final = ("right", "wrong")
HOST_COLUMNS: Final = (
    *("address", "roles", "serves", "called", "queue_managers", "names", "versions", "first", "last"),
    *(*_DID, *_ACTS, "served"),
)
PRINCIPAL_COLUMNS: Final = (
    *("user", "hosts", "workstations", "mechanisms", "first", "last", *_CONTEXTS, *_SECRETS),
    *(*_DID, *_ACTS),
)
_PRINCIPAL: Final = (
    *("username", "domain", "workstation", "mechanism", "ntlm_version", "auth_type_name", "name_sealed", "outcome"),
    *("ts", "secret", "id.orig_h"),
)
_LISTS: Final = {"hosts": "host", "workstations": "workstation", "mechanisms": "by"}
_GRAVE: Final = ("purges", "purges_unknown", "administered", "removed", "bytes", "sealed", "sessions")


class People:
    def __init__(self) -> None:
        self._hosts, self._users = GroupCounts(HOSTS_HELD), GroupCounts(HOSTS_HELD)

    def session(self, row: Row) -> None:
        did = {ours: row[theirs] or 0 if theirs else 1 for ours, theirs in _DID.items()}
        self._hosts.add((row["id.orig_h"],), None, None, did)
        self._hosts.add((row["id.resp_h"],), None, None, {"served": 1})
        user = account(row["username"], row["domain"])
        if user:
            self._users.add((clipped(user),), row["ts"], row["closed_ts"] or row["ts"], did)
        behind = account(row["opened_for_username"], row["opened_for_domain"])
        if behind:
            self._users.add((clipped(behind),), row["ts"], row["closed_ts"] or row["ts"], did)

    def act(self, act: ReportedAct) -> None:
        """All count for when somebody was there; what was done only if it was, and a purge once."""
        numbers = {act.counts_as: 1} if act.counts_as else {}
        self._hosts.add((act.client,), None, None, numbers)
        for user in {act.user, act.opened_for_user} - {None}:
            self._users.add((user,), act.ts, act.ts, numbers)

    def hosts(self, tables: Tables) -> Section:
        did = {one.key[0]: one.numbers for one in self._hosts.sums()}
        first: FirstRows[Row] = FirstRows(MAX_ROWS["hosts"], _gravity("address"))
        for row in tables.rows("hosts", _HOST):
            numbers = did.get(row["address"]) or Counter()
            first.add(_host(row) | {name: numbers[name] for name in (*_DID, *_ACTS, "served")})

        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'hosts')}, those that did most first. The table hosts has all."

        return fitted("hosts", HOST_COLUMNS, first.rows(), first.seen, cut, _gravity("address"))

    def principals(self, tables: Tables) -> Section:
        for row in _contexts(tables):
            self._users.add((row["user"],), row["ts"], row["ts"], row["numbers"])
        first: FirstRows[Row] = FirstRows(MAX_ROWS["principals"], _gravity("user"))
        for one in self._users.sums():
            numbers = {name: one.numbers[name] for name in (*_CONTEXTS, *_SECRETS, *_DID, *_ACTS)}
            first.add({"user": one.key[0], "first": one.first, "last": one.last, **numbers})
        rows = first.rows()
        where = _whereabouts(_contexts(tables), {row["user"] for row in rows})
        rows = [row | {kind: sorted(where[row["user"], kind]) for kind in _LISTS} for row in rows]

        def cut(here: int, there_are: int) -> str:
            return f"{some(here, there_are, 'accounts')}, those that did most first. The table principals has all."

        return fitted("principals", PRINCIPAL_COLUMNS, rows, first.seen, cut, _gravity("user"))


def _name(row: Row) -> str:
    unknown = "name sealed in a ticket" if row["name_sealed"] else "no name told"
    return clipped(account(row["username"], row["domain"])) or unknown


def _whereabouts(told: Iterable[Row], users: set[str]) -> dict[tuple[str, str], set[str]]:
    """Where each account was used: the first of the names, in their own order."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in told:
        for kind, column in _LISTS.items() if row["user"] in users else ():
            if row[column]:
                known = found[row["user"], kind]
                known.add(clipped(row[column]) or "")
                if len(known) > NAMES_TOLD:
                    known.remove(max(known))
    return found


def _gravity(name: str) -> Any:  # noqa: ANN401 - a key function
    return lambda row: (*(-row[one] for one in _GRAVE), row[name] or "")


def _host(row: Row) -> Row:
    lists = {name: (row[name] or [])[:NAMES_TOLD] for name in ("roles", "serves", "called", "queue_managers")}
    names = [[clipped(one["name"]), one["told_by"]] for one in (row["computer_names"] or [])[:NAMES_TOLD]]
    versions = [clipped(one) for one in (row["versions"] or [])[:NAMES_TOLD]]
    seen = {"first": row["first_seen"], "last": row["last_seen"]}
    return {"address": row["address"], **lists, "names": names, "versions": versions, **seen}


def _contexts(tables: Tables) -> Iterator[Row]:
    for row in tables.rows("principals", _PRINCIPAL):
        yield {
            "user": _name(row),
            "host": row["id.orig_h"],
            "workstation": row["workstation"],
            "by": " ".join(filter(None, (row["mechanism"] or row["auth_type_name"], row["ntlm_version"]))),
            "ts": row["ts"],
            "numbers": {"contexts": 1, row["outcome"]: 1, **({row["secret"]: 1} if row["secret"] in _SECRETS else {})},
        }


def proven(tables: Tables, sessions: Iterable[Row]) -> dict[tuple[str, str], str]:
    """Of accounts on the connections of these sessions, whether the secret given is the one that the client used."""
    uids = {row["uid"] for row in sessions}
    found: dict[tuple[str, str], str] = {}
    for row in tables.rows_of("principals", ("uid", "username", "secret"), "uid", uids):
        if row["secret"] in _SECRETS:
            place = row["uid"], row["username"] or ""
            # One context of several that does not fit is enough to doubt.
            found[place] = max(found.get(place, ""), row["secret"])
    return found
