"""The product's tables against the truth: equal; where something is missing equal or in doubt."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.scripts.words import handle

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import datetime

    from tests.conforming.truth import Act, Read, Send, Session, Transaction, Truth

    Row = Mapping[str, Any]
    Tables = Mapping[str, Sequence[Row]]


OBJECTS: Final = frozenset(("IMSMQQueue",))
ENDPOINTS: Final = ("qm2qm", "RemoteRead", "qmcomm", *OBJECTS)
_NAMES: Final = frozenset(("queue_name", "opened_for_username"))
"""The qmcomm call that tells them may be sealed."""


_UNSEEN_ENDS: Final = frozenset(("sealed", "open_not_seen"))
"""The second of an object that a sealed call handed out once more."""
_COUNTS: Final = frozenset(("purges", "reads"))
_READS: Final = ("peeks", "receives", "unknown_reads")


class Difference(NamedTuple):
    what: str
    table: str
    at_us: int
    said: object
    true: object


def differences(truth: Truth, tables: Tables, *, whole: bool = True) -> Iterator[Difference]:
    """`whole`: nothing is missing, so everything must be told; else what is told without doubt must be true.

    Where connections broke the truth may be in nobody's sight, and doubt is right. So it is of clients with several
    addresses.
    """
    whole = whole and not truth.roaming
    sure = whole and not truth.mishaps
    for endpoint in ENDPOINTS:
        yield from _of_endpoint(truth, tables, endpoint, whole=whole, sure=sure)
    yield from _of_sends(truth, tables, whole=whole, sure=sure)
    yield from _of_acts(truth, tables, whole=whole)
    yield from _of_transactions(truth, tables, whole=whole, sure=sure)


def _of_endpoint(truth: Truth, tables: Tables, endpoint: str, *, whole: bool, sure: bool) -> Iterator[Difference]:
    """Its sessions and their reads."""
    rows = {_us(row["ts"]): row for row in tables["sessions"] if row["endpoint"] == endpoint}
    known = {one.opened_us: one for one in truth.sessions if one.endpoint == endpoint}
    # Those that the server refused may be of a session that is closed.
    taken = (one for one in truth.reads if not one.sealed and "failed" not in one.outcomes)
    reads = Counter(one.session for one in taken)
    for at, session in known.items():
        if at in rows:
            counted = None if truth.roaming else reads[session]
            yield from _of_session(session, rows[at], counted, whole=whole, sure=sure)
        elif whole and session.told and not session.sealed:
            yield Difference("not told", "sessions", at, None, session.handle)
    sealed = {one.handle and handle(one.handle) for one in known.values() if one.sealed}
    for first, row in rows.items():
        unseen = row["opened_ts"] is None if endpoint in OBJECTS else row["state"] == "open_not_seen"
        begun_unseen = unseen and (not whole or row["handle"] in sealed)
        if first in known or begun_unseen or (not whole and row["doubt"] is not None):
            continue
        yield Difference("told of nothing", "sessions", first or 0, row["handle"], None)
    read_rows = {
        _us(row["ts"]): row for row in tables["reads"] if row["endpoint"] == endpoint and row["start_call_uid"]
    }
    for read in (one for one in truth.reads if not one.sealed and one.endpoint == endpoint):
        if read.asked_us in read_rows:
            yield from _of_read(read, read_rows[read.asked_us], whole=whole, sure=sure)
            if read_rows[read.asked_us]["doubt"] is None or sure:
                yield from _of_place("reads", read, read_rows[read.asked_us], rows, known)
        elif whole:
            yield Difference("not told", "reads", read.asked_us, None, sorted(read.outcomes))


def _of_sends(truth: Truth, tables: Tables, *, whole: bool, sure: bool) -> Iterator[Difference]:
    sessions = {_us(row["ts"]): row for row in tables["sessions"] if row["endpoint"] == "qmcomm"}
    known = {one.opened_us for one in truth.sessions}
    rows = {_us(row["ts"]): row for row in tables["sends"]}
    for send in (one for one in truth.sends if not one.sealed):
        row = rows.get(send.asked_us)
        if row is None:
            if whole:
                yield Difference("not told", "sends", send.asked_us, None, sorted(send.outcomes))
            continue
        if row["doubt"] is not None and not sure:
            continue
        if row["outcome"] not in send.outcomes and (whole or row["outcome"] != "unknown"):
            yield Difference("outcome", "sends", send.asked_us, row["outcome"], sorted(send.outcomes))
        yield from _of_place("sends", send, row, sessions, known)


def _of_transactions(truth: Truth, tables: Tables, *, whole: bool, sure: bool) -> Iterator[Difference]:
    """What of it is sealed is in no row, so that counts can be less."""
    rows = {_us(row["ts"]): row for row in tables["transactions"]}
    for one in truth.transactions:
        row = rows.get(one.began_us)
        if row is None or (row["doubt"] is not None and not sure) or _end_unanswered(one, row):
            continue
        if row["outcome"] not in one.outcomes and (whole or row["outcome"] != "unknown"):
            yield Difference("outcome", "transactions", one.began_us, row["outcome"], sorted(one.outcomes))
        for name, true in (("reads", one.reads), ("sends", one.sends)):
            if row[name] > true:
                yield Difference(name, "transactions", one.began_us, row[name], true)


def _of_acts(truth: Truth, tables: Tables, *, whole: bool) -> Iterator[Difference]:
    rows = {_us(row["ts"]): row for row in tables["admin_actions"]}
    for act in (one for one in truth.acts if not one.sealed):
        row = rows.get(act.asked_us)
        if row is None:
            if whole:
                yield Difference("not told", "admin_actions", act.asked_us, None, act.action)
            continue
        yield from _of_asker(act, row, whole=whole)
        told = row["action"], row["outcome"], row["username"] or ""
        # The conversation may have ended while the server was at it.
        unanswered = row["doubt"] == "response_not_captured"
        possible = {act.outcome, "unknown"} if unanswered or not whole else {act.outcome}
        # Where the word that says it is missing, that is said too.
        actions = {act.action.lower()} if whole or row["doubt"] is None else {act.action.lower(), "other"}
        # Where the token that names the caller is missing, nobody is named.
        users = {act.username} if whole else {act.username, ""}
        if told not in set(product(actions, possible, users)):
            yield Difference("outcome", "admin_actions", act.asked_us, told, act.outcome)


def _of_asker(act: Act, row: Row, *, whole: bool) -> Iterator[Difference]:
    """Nobody is named for certain where several may have asked, or something of the object was missed."""
    said = row["opened_for_username"] or ""
    if said and said != act.person and row["naming_doubt"] is None:
        yield Difference("opened_for", "admin_actions", act.asked_us, said, act.person)
    if act.person and not said and whole and row["naming_doubt"] is None:
        yield Difference("opened_for", "admin_actions", act.asked_us, said, act.person)


def _end_unseen(one: Session | Read, row: Row) -> bool:
    """And it is told so: how it ended may be wrong, and nothing else."""
    return one.end_sealed and row["doubt"] in _UNSEEN_ENDS


def _close_unanswered(session: Session, row: Row) -> bool:
    """The conversation ended while the server was at it."""
    return session.closed_us is None and row["state"] == "closed" and row["doubt"] == "response_not_captured"


def _end_unanswered(one: Transaction, row: Row) -> bool:
    return "unknown" in one.outcomes and row["doubt"] == "response_not_captured"


def _of_session(session: Session, row: Row, reads: int | None, *, whole: bool, sure: bool) -> Iterator[Difference]:
    """`reads`: how many there were; None where some may have come from an address that nothing connects with it."""
    if row["doubt"] is not None and not sure:
        return
    told: dict[str, tuple[object, set[Any]]] = {
        "handle": (row["handle"], {session.handle and handle(session.handle)}),
        "queue_handle": (row["queue_handle"], {session.number}),
        "client_qm": (row["client_qm"], {session.client_qm}),
        "username": (row["username"] or "", {session.username}),
        "queue_name": (row["queue_name"], {session.queue, session.asked_for}),
        "opened_for_username": (row["opened_for_username"] or "", {session.person}),
    }
    if reads is not None:
        told["purges"] = row["purges"], {session.purges}
        # There may be more, of which the server knows nothing.
        told["reads"] = min(reads, sum(row[name] for name in _READS)), {reads}
    if session.told and not _end_unseen(session, row) and not _close_unanswered(session, row):
        told["state"] = row["state"], set(session.states)
    for name, (said, true) in told.items():
        if said in (None, "") and (not whole or name in _NAMES):
            continue
        if name in _NAMES and (session.naming_sealed or not sure) and row["naming_doubt"] is not None:
            continue
        if name in _COUNTS and (row["counts_doubt"] is not None or row["state"] == "open_at_end") and not sure:
            continue
        if not whole and said in ("open_at_end", "open_not_seen"):
            continue
        if said not in true:
            yield Difference(name, "sessions", session.opened_us, said, true)


def _of_read(read: Read, row: Row, *, whole: bool, sure: bool) -> Iterator[Difference]:
    if row["doubt"] is not None and not sure:
        return
    outcomes = read.outcomes if whole else {*read.outcomes, "unfinished"}
    if row["outcome"] not in outcomes and not _end_unseen(read, row):
        yield Difference("outcome", "reads", read.asked_us, row["outcome"], sorted(read.outcomes))
    if read.endpoint in OBJECTS and whole and not read.fetched_unsure and row["message_bytes"] != read.fetched:
        yield Difference("message_bytes", "reads", read.asked_us, row["message_bytes"], read.fetched)
    for name, said, true in (
        ("action", row["action"], _action(read)),
        ("request_id", row["request_id"], read.request_id),
    ):
        if said != true and (whole or said is not None):
            yield Difference(name, "reads", read.asked_us, said, true)


def _action(read: Read) -> str:
    """As the interface has it; of objects it is the member."""
    if read.endpoint in OBJECTS:
        return read.action
    return f"MQ_{read.action}" if read.action.startswith("LOOKUP") else f"MQ_ACTION_{read.action}"


def _of_place(
    table: str, one: Read | Send, row: Row, sessions: Mapping[int | None, Row], known: Container[int]
) -> Iterator[Difference]:
    """The session that it is of. `known`: when each was opened that there is.

    One whose association is not known may be another's, and says so.
    """
    if one.session is None or row["session_uid"] is None:
        return
    told = [at for at, other in sessions.items() if other["session_uid"] == row["session_uid"]]
    if any(sessions[at]["doubt"] == "association_unknown" for at in told):
        return
    if one.session.opened_us not in told and (one.session.opened_us in sessions or any(at in known for at in told)):
        yield Difference("session", table, one.asked_us, told, one.session.opened_us)


def _us(time: datetime | None) -> int | None:
    return None if time is None else round(time.timestamp() * 1_000_000)
