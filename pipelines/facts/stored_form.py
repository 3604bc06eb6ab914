"""Facts as they are stored: a row of FACTS, with what its columns do not say as JSON, by name.

A field that has its usual value is left out. A field may be added to a fact at any time: it has a default, which facts
of older versions take. What a field means and which value is usual stays for ever; to change that takes another FORM.
"""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from itertools import compress
from operator import attrgetter, ne
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pipelines.facts import first_form
from pipelines.facts.model import BindFact, BlindFact, CallFact, ConnectionFact, Ending, Ends, Moment
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.facts.model import Fact
    from schemas.internal_rows import FactRow

Fields = dict[str, Any]
FORM: Final = 2
BLIND: Final = "blind"
"""Kind of the facts that say only what was not seen."""
_FORM_FIELD: Final = "form"
_FIRST, _SECOND = -2, -1
"""Within one frame a connection begins before it goes blind, and both before its calls."""
_text: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_REASONS: Final = {str(reason): reason for reason in Reason}
_parsed: Final = json.JSONDecoder().raw_decode
_TO_NONE: Final = (
    "endpoint", "opnum", "operation", "group", "auth_type", "auth_level", "authenticated", "username", "domain",
    "fault", "request", "response", "answered",
)  # fmt: skip
OF_CALL: Final[Fields] = {
    **dict.fromkeys(_TO_NONE),
    **dict.fromkeys(("request_whole", "response_whole", "asked"), True),
    "source": "bind",
    "syntax": "ndr",
    "outcome": "answered",
    "status": 0,
    "encrypted": False,
    "request_frames": (),
    "response_frames": (),
}
_OF_CONNECTION: Final[Fields] = {"closed": True, "ended_by": None, "endings": (), "midstream": False, "binds": ()}
_OF_BIND: Final[Fields] = {
    **dict.fromkeys(("auth_type", "auth_level", "asked_group", "group", "reason")),
    "kind": "bind",
    "answer": "accepted",
}


class NewerFact(Exception):
    """It was stored by a version that knows more; to judge without that would be to judge wrongly."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the dataset holds facts of a newer mqtrail ({what}); use that version or a later one")

    @staticmethod
    def told(error: str) -> str | None:
        """The sentence in what Spark says of a task that failed by it."""
        found = re.search(r"the dataset holds facts of a newer mqtrail \(.*?\); use that version or a later one", error)
        return found and found.group()


class Form:
    """Which fields of a class are stored, and what is usual in them."""

    def __init__(self, of: type[Any], usual: Fields, in_columns: tuple[str, ...] = ()) -> None:
        usual = usual | {field.name: field.default for field in fields(of) if field.default is not MISSING}
        self._of = of
        self._names = tuple(field.name for field in fields(of) if field.name not in in_columns)
        self._values = attrgetter(*self._names)
        # What has no usual value is compared with one that nothing equals.
        self._usual = tuple(usual.get(name, MISSING) for name in self._names)
        self._always = {field.name for field in fields(of)} - usual.keys()
        self._blank = {field.name: usual.get(field.name) for field in fields(of)}

    def pack(self, fact: object) -> Fields:
        values = self._values(fact)
        # No loop of Python's: this is done for every call.
        return dict(compress(zip(self._names, values, strict=True), map(ne, values, self._usual)))

    def open(self, stored: Fields) -> Any:  # noqa: ANN401 - a fact of its class
        """`stored` has what the columns say too."""
        # By position, in the order of the class.
        known = self._blank | stored
        if len(known) > len(self._blank):
            raise NewerFact(f"{self._of.__name__} with {', '.join(sorted(known.keys() - self._blank.keys()))}")
        if not self._always <= stored.keys():
            raise ValueError(f"stored {self._of.__name__} without {', '.join(sorted(self._always - stored.keys()))}")
        return self._of(*known.values())


COLUMNS_OF_CALL: Final = ("began", "uid", "ends", "place")
_CALL: Final = Form(CallFact, OF_CALL, COLUMNS_OF_CALL)
_CONNECTION: Final = Form(ConnectionFact, _OF_CONNECTION, ("began", "uid", "ends"))
_BLIND: Final = Form(BlindFact, {}, ("began", "uid", "client", "server"))
_BIND: Final = Form(BindFact, _OF_BIND)


def to_row(fact: Fact) -> FactRow:
    kind, place, client, server, data = _PACK[type(fact)](fact)
    data[_FORM_FIELD] = FORM
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
        "data": _text(data),
    }


def from_row(row: FactRow) -> Fact:
    kind = row["kind"]
    opened: Fact = _OPEN[kind](row, Moment(row["ts_ns"], row["file"], row["frame"]), _stored(kind, row["data"]))
    return opened


def renumbered(kind: str, data: str, to: Mapping[int, int]) -> str:
    """The data of a row with other ordinals for its captures."""
    stored = _stored(kind, data)
    places = [(stored, "answered"), (stored, "until"), *((one, "at") for one in stored.get("endings", ()))]
    for fields_of, name in places:
        if moment := fields_of.get(name):
            moment[1] = to.get(moment[1], moment[1])
    stored[_FORM_FIELD] = FORM
    return _text(stored)


def _stored(kind: str, data: str) -> Fields:
    """By name, whichever form it was stored in."""
    stored, _ = _parsed(data)
    if isinstance(stored, list):
        return first_form.named(kind, stored)
    if (form := stored.pop(_FORM_FIELD)) != FORM:
        raise NewerFact(f"stored in form {form}")
    fields_of: Fields = stored
    return fields_of


def _pack_call(fact: CallFact) -> _Packed:
    orig_h, orig_p, resp_h, resp_p = fact.ends
    data = _CALL.pack(fact)
    data["ports"] = orig_p, resp_p
    return "call", fact.place, orig_h, resp_h, data


def _open_call(row: FactRow, began: Moment, stored: Fields) -> CallFact:
    for name in ("request_frames", "response_frames"):
        if name in stored:
            stored[name] = tuple(stored[name])
    if answered := stored.get("answered"):
        stored["answered"] = Moment(*answered)
    stored |= {"began": began, "uid": row["uid"], "ends": _ends(row, stored), "place": row["place"]}
    call: CallFact = _CALL.open(stored)
    return call


def _pack_connection(fact: ConnectionFact) -> _Packed:
    orig_h, orig_p, resp_h, resp_p = fact.ends
    data = _CONNECTION.pack(fact)
    data["ports"] = orig_p, resp_p
    if fact.endings:
        data["endings"] = [{"side": side, "how": how, "at": at} for side, how, at in fact.endings]
    if fact.binds:
        data["binds"] = [_BIND.pack(bind) for bind in fact.binds]
    return "connection", _FIRST, orig_h, resp_h, data


def _open_connection(row: FactRow, began: Moment, stored: Fields) -> ConnectionFact:
    stored["until"] = Moment(*stored["until"])
    stored["endings"] = tuple(_open_ending(one) for one in stored.get("endings", ()))
    stored["binds"] = tuple(_open_bind(one) for one in stored.get("binds", ()))
    stored |= {"began": began, "uid": row["uid"], "ends": _ends(row, stored)}
    connection: ConnectionFact = _CONNECTION.open(stored)
    return connection


def _open_ending(stored: Fields) -> Ending:
    stored["at"] = Moment(*stored["at"])
    try:
        return Ending(**stored)
    except TypeError:
        raise NewerFact(f"Ending with {', '.join(stored)}") from None


def _open_bind(stored: Fields) -> BindFact:
    stored["interfaces"] = tuple(stored["interfaces"])
    bind: BindFact = _BIND.open(stored)
    return bind


def _pack_blind(fact: BlindFact) -> _Packed:
    return BLIND, _SECOND, fact.client, fact.server, _BLIND.pack(fact)


def _open_blind(row: FactRow, began: Moment, stored: Fields) -> BlindFact:
    if (reason := stored["reason"]) not in _REASONS:
        raise NewerFact(f"BlindFact for the reason {reason}")
    stored |= {"until": Moment(*stored["until"]), "reason": _REASONS[reason]}
    stored |= {"began": began, "uid": row["uid"], "client": row["client"], "server": row["server"]}
    blind: BlindFact = _BLIND.open(stored)
    return blind


def _ends(row: FactRow, stored: Fields) -> Ends:
    orig_p, resp_p = stored.pop("ports")
    return Ends(row["client"], orig_p, row["server"], resp_p)


_Packed: TypeAlias = tuple[str, int, str, str, Fields]
"""Kind, place within the frame, client, server, and what no column says."""
_PACK: Final[dict[type, Callable[[Any], _Packed]]] = {
    CallFact: _pack_call, ConnectionFact: _pack_connection, BlindFact: _pack_blind,
}  # fmt: skip
_OPEN: Final[dict[str, Callable[[FactRow, Moment, Fields], Fact]]] = {
    "call": _open_call, "connection": _open_connection, BLIND: _open_blind,
}  # fmt: skip
