"""Facts come back as they were stored, by this version or by an earlier one; what a later one added is refused."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import msgpack
from msgspec.structs import fields, replace

from decoders.dcerpc.call_model import CallOutcome
from pipelines.cli import main
from pipelines.cli.exit_codes import ExitCode
from pipelines.facts import first_form, stored_form
from pipelines.facts.model import END, BindFact, BlindFact, CallFact, ConnectionFact, Ending, Ends, Moment
from pipelines.facts.reasons import Reason
from pipelines.facts.stored_form import NewerFact, from_row, renumbered, to_row
from tests.pipelines.facts.newer import with_shade

if TYPE_CHECKING:
    from pipelines.facts.model import Fact
    from schemas.internal_rows import FactRow

ENDS = Ends("10.0.0.1", 50_000, "10.0.0.2", 2103)
CALL = CallFact(
    began=Moment(1_000, 0, 7),
    uid="C1",
    ends=ENDS,
    call_uid="R1",
    place=740,
    endpoint="qm2qm",
    opnum=9,
    operation="RemoteQMStartReceive2",
    source="bind",
    syntax="ndr",
    group=42,
    auth_type=None,
    auth_level=None,
    authenticated=None,
    username=None,
    domain=None,
    encrypted=False,
    outcome=CallOutcome.ANSWERED,
    status=0,
    fault=None,
    request={"hCursor": 0},
    response={"return_value": 0},
    request_whole=True,
    response_whole=True,
    asked=True,
    answered=Moment(2_000, 1, 8),
    request_frames=(7,),
    response_frames=(8, 9),
    capture_id="c",
    message={"bytes": 200, "label": "Bestellung für 7"},
)
UNUSUAL = CallFact(
    began=Moment(1_000, 0, 7),
    uid="C1",
    ends=ENDS,
    call_uid="R1",
    place=740,
    endpoint=None,
    opnum=None,
    operation=None,
    source=None,
    syntax=None,
    group=None,
    auth_type=9,
    auth_level=6,
    authenticated=False,
    username="",
    domain="D",
    encrypted=True,
    outcome=CallOutcome.UNASKED,
    status=None,
    fault=5,
    request={},
    response=None,
    request_whole=False,
    response_whole=False,
    asked=False,
    answered=None,
    request_frames=(),
    response_frames=(),
    capture_id="c",
    message={},
    workstation="W",
    in_words={"values": []},
    unexplained=True,
)
BIND = BindFact(ts_ns=900, interfaces=("u",), asked_group=0, group=42, frame=4, capture_id="c")
ALTER = BindFact(
    kind="alter_context",
    ts_ns=950,
    interfaces=("u", "v"),
    auth_type=10,
    auth_level=6,
    answer="refused",
    reason="why",
    frame=5,
    capture_id="c",
)
FIN, RESET = Ending("client", "fin", Moment(3_000, 1, 9)), Ending("server", "reset", Moment(4_000, 1, 10))
CONNECTION = ConnectionFact(
    Moment(800, 0, 1), "C1", ENDS, Moment(5_000, 1, 0), True, "client", (FIN, RESET), False, (BIND, ALTER)
)
BARE = ConnectionFact(Moment(800, 0, 1), "C1", ENDS, Moment(5_000, 1, 0), False, None, (), True, ())
BLIND = BlindFact(Moment(800, 0, 1), "C1", "10.0.0.1", "10.0.0.2", Moment(5_000, 1, 0), Reason.SEALED)
FACTS = pytest.mark.parametrize("fact", [CALL, UNUSUAL, CONNECTION, BARE, BLIND])
FIRST_FORM = {
    '[["10.0.0.1",50000,"10.0.0.2",2103],"R1",740,"qm2qm",9,"RemoteQMStartReceive2","bind","ndr",42,null,null,null,'
    'null,null,false,"answered",0,null,{"hCursor":0},{"return_value":0},true,true,true,[2000,1,8],[7],[8,9],"c",'
    '{"bytes":200,"label":"Bestellung f\\u00fcr 7"},null,null,false]': CALL,
    '[["10.0.0.1",50000,"10.0.0.2",2103],"R1",740,null,null,null,null,null,null,9,6,false,"","D",true,"unasked",null,'
    '5,{},null,false,false,false,null,[],[],"c",{},"W",{"values":[]},true]': UNUSUAL,
    '[["10.0.0.1",50000,"10.0.0.2",2103],[5000,1,0],[["client","fin",[3000,1,9]],["server","reset",[4000,1,10]]],'
    '"client",true,false,[["bind",900,["u"],null,null,0,42,"accepted",null,4,"c"],["alter_context",950,["u","v"],10,6,'
    'null,null,"refused","why",5,"c"]]]': CONNECTION,
    '[["10.0.0.1",50000,"10.0.0.2",2103],[5000,1,0],[],null,false,true,[]]': BARE,
    '[[5000,1,0],"sealed"]': BLIND,
}
"""Written by to_row of the first version, commit a1a1e8f."""
SECOND_FORM = {
    '{"call_uid":"R1","endpoint":"qm2qm","opnum":9,"operation":"RemoteQMStartReceive2","group":42,"request":{"'
    'hCursor":0},"response":{"return_value":0},"answered":[2000,1,8],"request_frames":[7],"response_frames":[8'
    ',9],"capture_id":"c","message":{"bytes":200,"label":"Bestellung f\\u00fcr 7"},"ports":[50000,2103],"form":'
    "2}": CALL,
    '{"call_uid":"R1","source":null,"syntax":null,"auth_type":9,"auth_level":6,"authenticated":false,"username'
    '":"","domain":"D","encrypted":true,"outcome":"unasked","status":null,"fault":5,"request":{},"request_whol'
    'e":false,"response_whole":false,"asked":false,"capture_id":"c","message":{},"workstation":"W","told":{"va'
    'lues":[]},"unexplained":true,"ports":[50000,2103],"form":2}': UNUSUAL,
    '{"until":[5000,1,0],"ended_by":"client","endings":[{"side":"client","how":"fin","at":[3000,1,9]},{"side":'
    '"server","how":"reset","at":[4000,1,10]}],"binds":[{"ts_ns":900,"interfaces":["u"],"asked_group":0,"group'
    '":42,"frame":4,"capture_id":"c"},{"kind":"alter_context","ts_ns":950,"interfaces":["u","v"],"auth_type":1'
    '0,"auth_level":6,"answer":"refused","reason":"why","frame":5,"capture_id":"c"}],"ports":[50000,2103],"for'
    'm":2}': CONNECTION,
    '{"until":[5000,1,0],"closed":false,"midstream":true,"ports":[50000,2103],"form":2}': BARE,
    '{"until":[5000,1,0],"reason":"sealed","form":2}': BLIND,
}
"""Written by to_row of commit bea33b9."""
OLDER = (*FIRST_FORM.items(), *SECOND_FORM.items())


def with_data(fact: Fact, data: bytes) -> FactRow:
    return to_row(fact) | {"data": data}


def stored_with(fact: Fact, **changes: object) -> FactRow:
    return with_data(fact, msgpack.encode(msgpack.decode(to_row(fact)["data"]) | changes))


@FACTS
def test_facts_come_back(fact: Fact) -> None:
    row = to_row(fact)
    again = from_row(row)
    assert again == fact
    assert [type(getattr(again, one.name)) for one in fields(fact)] == [
        type(getattr(fact, one.name)) for one in fields(fact)
    ]
    assert to_row(again) == row


@pytest.mark.parametrize(("data", "fact"), OLDER)
def test_older_forms_are_read(data: str, fact: Fact) -> None:
    assert from_row(with_data(fact, data.encode())) == fact


def test_until_the_end_of_time_is_that_in_older_forms_too() -> None:
    row = with_data(BLIND, b'{"until":[18446744073709551616,1073741824,0],"reason":"sealed","form":2}')
    assert from_row(row) == replace(BLIND, until=END)


@pytest.mark.parametrize(("data", "fact"), OLDER)
def test_captures_are_renumbered_in_each_form(data: str, fact: Fact) -> None:
    rows = [renumbered(row, {0: 5, 1: 7}) for row in (with_data(fact, data.encode()), to_row(fact))]
    first, second = map(from_row, rows)
    assert first == second
    assert (rows[0]["file"], first.began.file) == (5, 5)
    assert [one.file for one in _moments(fact)] == [1] * len(_moments(fact))
    assert [one.file for one in _moments(first)] == [7] * len(_moments(fact))


def _moments(fact: Fact) -> list[Moment]:
    if isinstance(fact, CallFact):
        return [fact.answered] if fact.answered else []
    return [fact.until, *(one.at for one in getattr(fact, "endings", ()))]


def test_what_is_usual_is_left_out() -> None:
    assert msgpack.decode(to_row(CALL)["data"]).keys() == {
        *("form", "began", "uid", "ends", "place", "call_uid", "endpoint", "opnum", "operation", "group"),
        *("request", "response", "answered", "request_frames", "response_frames", "capture_id", "message"),
    }


@FACTS
def test_what_a_later_version_added_is_refused(fact: Fact) -> None:
    with pytest.raises(NewerFact, match=r"facts of a newer mqtrail \(\w+: .*`shade`\); use that version"):
        from_row(stored_with(fact, shade=1))
    with pytest.raises(NewerFact, match=r"Fact: Invalid value 4 - at `\$.form`"):
        from_row(stored_with(fact, form=4))
    if isinstance(fact, BlindFact):
        with pytest.raises(NewerFact, match="BlindFact: Invalid enum value 'eclipse'"):
            from_row(stored_with(fact, reason="eclipse"))
    if isinstance(fact, ConnectionFact) and fact.binds:
        stored = msgpack.decode(to_row(fact)["data"])
        with pytest.raises(NewerFact, match="shade"):
            from_row(stored_with(fact, binds=[stored["binds"][0] | {"shade": 1}]))
        with pytest.raises(NewerFact, match="length"):
            from_row(stored_with(fact, endings=[[*stored["endings"][0], 1]]))


def test_nothing_that_is_always_stored_may_be_missing() -> None:
    stored = msgpack.decode(to_row(CALL)["data"])
    del stored["call_uid"]
    with pytest.raises(ValueError, match="missing required field `call_uid`"):
        from_row(with_data(CALL, msgpack.encode(stored)))


def test_a_field_that_was_added_has_its_default_in_older_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = with_shade()
    older = [to_row(CALL), *(with_data(CALL, data.encode()) for data, fact in OLDER if fact is CALL)]
    monkeypatch.setitem(stored_form._CLASSES, "call", newer)
    monkeypatch.setitem(stored_form._OPEN, "call", msgpack.Decoder(newer).decode)
    assert [from_row(row).shade for row in older] == [3, 3, 3]  # type: ignore[union-attr]
    assert to_row(from_row(older[0])) == older[0]


@pytest.mark.parametrize(
    ("of", "first"),
    [
        (CallFact, {"began", "uid", *first_form.CALL}),
        (ConnectionFact, {"began", "uid", *first_form.CONNECTION}),
        (BlindFact, {"began", "uid", "client", "server", *first_form.BLIND}),
        (BindFact, {*first_form.BIND}),
    ],
)
def test_fields_that_older_facts_lack_have_defaults(of: type[Any], first: set[str]) -> None:
    assert {one.encode_name for one in fields(of) if one.required} <= first
    assert first <= {one.encode_name for one in fields(of)}


def test_endings_of_older_facts_have_all_that_is_needed() -> None:
    assert set(Ending._fields) - set(Ending._field_defaults) <= set(first_form.ENDING)


@pytest.mark.parametrize("said", ["{}", "An exception was thrown\n  File x\nNewerFact: {}\nat org.apache"])
def test_the_command_says_so_in_a_sentence(
    said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where a task of Spark's met it."""
    sentence = str(NewerFact("CallFact with shade"))

    def run(_: argparse.Namespace) -> int:
        raise RuntimeError(said.format(sentence))

    parser = argparse.ArgumentParser()
    parser.set_defaults(run=run)
    monkeypatch.setattr("pipelines.cli.parser", lambda: parser)
    assert main([]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines() == [f"mqtrail: {sentence}"]
