"""Facts as they are stored: a row of FACTS, whose columns say how facts are brought together, and whose data is all of
the fact, by name (`model.py`), in msgpack.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from msgspec import ValidationError, convert, msgpack
from msgspec.structs import replace

from pipelines.facts.model import BlindFact, CallFact, ConnectionFact
from pipelines.facts.second_form import FIRST_BYTES, named_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.facts.com import Reference
    from pipelines.facts.model import Ends, Fact, Moment
    from schemas.internal_rows import FactRow

BLIND: Final = "blind"
"""Kind of the facts that say only what was not seen."""
_FIRST, _SECOND = -2, -1
"""Within one frame a connection begins before it goes blind, and both before its calls."""
COM: Final = "com"
"""Calls of DCOM."""
GIVEN: Final = "given"
"""The same, told to the host whose objects a client handed to a server: the client's."""
BEHIND: Final = "behind"
"""Calls of objects, told to a server that the objects' host calls in its turn."""
BEHIND_BLIND: Final = "behind_blind"
"""What was not seen beside them."""
HANDED: Final = "handed"
"""The same, told to a third host: a reference that was handed on names it as the one where its object is."""
MAX_TOLD: Final = 4
"""Hosts that a call is told to because references name them."""
_CLASSES: Final[dict[str, type[Any]]] = {
    "call": CallFact,
    "connection": ConnectionFact,
    BLIND: BlindFact,
    COM: CallFact,
    GIVEN: CallFact,
    BEHIND: CallFact,
    BEHIND_BLIND: BlindFact,
    HANDED: CallFact,
}
_OPEN: Final = {kind: msgpack.Decoder(of).decode for kind, of in _CLASSES.items()}
_pack: Final = msgpack.Encoder().encode


class NewerFact(Exception):
    """It was stored by a version that knows more; to judge without that would be to judge wrongly."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the dataset holds facts of a newer mqtrail ({what}); use that version or a later one")

    @staticmethod
    def sentence_in(error: str) -> str | None:
        """The sentence in what Spark says of a task that failed by it."""
        found = re.search(r"the dataset holds facts of a newer mqtrail \(.*?\); use that version or a later one", error)
        return found and found.group()


def to_row(fact: Fact) -> FactRow:
    if isinstance(fact, CallFact):
        kind = "call" if fact.com is None else COM
        place, client, server = fact.place, fact.ends.orig_h, fact.ends.resp_h
    elif isinstance(fact, ConnectionFact):
        kind, place, client, server = "connection", _FIRST, fact.ends.orig_h, fact.ends.resp_h
    else:
        kind, place, client, server = BLIND, _SECOND, fact.client, fact.server
    ts_ns, file, frame = fact.began
    return {
        "server": server,
        "client": client,
        "kind": kind,
        "ts_ns": ts_ns,
        "file": file,
        "frame": frame,
        "place": place,
        "uid": fact.uid,
        "data": _pack(fact),
    }


def rows_of(fact: Fact) -> Iterator[FactRow]:
    """More than one where a call concerns objects of both hosts: they are looked at host by host."""
    row = to_row(fact)
    yield row
    if not isinstance(fact, CallFact) or fact.com is None:
        return
    if theirs := tuple(one for one in fact.com.references if not one.given and not _servers_own(one, fact.ends)):
        given_fact = replace(fact, com=replace(fact.com, references=theirs))
        yield {**row, "kind": GIVEN, "server": row["client"], "client": row["server"], "data": _pack(given_fact)}
    for host in third_hosts(fact.com.references, fact.ends):
        handed_fact = replace(fact, com=replace(fact.com, references=tuple(_at(host, fact.com.references))))
        yield {**row, "kind": HANDED, "server": host, "data": _pack(handed_fact)}


def _at(host: str, references: Iterable[Reference]) -> Iterator[Reference]:
    """Of several addresses that one names, only the first has a row for an object that nobody meets there."""
    for one in references:
        if host in one.resolvers:
            yield one if host == one.resolvers[0] else replace(one, resolvers=())


def third_hosts(references: Iterable[Reference], ends: Ends) -> list[str]:
    """[MS-DCOM] 3.1.1.5.2, 3.2.4.3: either may hand on an object of somebody else. What clients hand on comes first."""
    both = {ends.orig_h, ends.resp_h}
    in_order = sorted(references, key=lambda one: one.given)
    handed = (one.resolvers for one in in_order if both.isdisjoint(one.resolvers))
    return list(dict.fromkeys(chain.from_iterable(handed)))[:MAX_TOLD]


def _servers_own(one: Reference, ends: Ends) -> bool:
    """[MS-DCOM] 3.2.4.3: a client may hand an object back to where it is. Its reference names that host: 2.2.18.4."""
    return ends.resp_h in one.resolvers and ends.orig_h not in one.resolvers


def from_row(row: FactRow) -> Fact:
    kind, data = row["kind"], row["data"]
    fact: Fact
    try:
        if data[0] in FIRST_BYTES:
            fact = convert(named_fields(row), _CLASSES[kind])
        else:
            fact = _OPEN[kind](data)
    except ValidationError as error:
        if "missing required" in str(error):
            raise
        raise NewerFact(f"{_CLASSES[kind].__name__}: {error}") from None
    return fact


def renumbered(row: FactRow, to: Mapping[int, int]) -> FactRow:
    """With other ordinals for its captures."""

    def other(moment: Moment) -> Moment:
        return moment._replace(file=to.get(moment.file, moment.file))

    fact = from_row(row)
    fact = replace(fact, began=other(fact.began))
    if isinstance(fact, CallFact):
        fact = replace(fact, answered=fact.answered and other(fact.answered))
    elif isinstance(fact, ConnectionFact):
        endings = tuple(one._replace(at=other(one.at)) for one in fact.endings)
        fact = replace(fact, until=other(fact.until), endings=endings)
    else:
        fact = replace(fact, until=other(fact.until))
    # Some are told to other hosts than their own.
    return {**to_row(fact), "kind": row["kind"], "server": row["server"], "client": row["client"]}
