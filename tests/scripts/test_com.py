"""Activations, calls of objects and references, in scripts of DCOM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ingest.choice import Choice, Scope
from pipelines.facts.model import CallFact
from pipelines.facts.stored_form import COM, from_row
from tests.local import Local
from tests.scripts.player import capture, play
from tests.scripts.statements import ScriptError
from tests.scripts.words import handle

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.facts.com import Com

IDISPATCH = "00020400-0000-0000-c000-000000000046"


def facts(folder: Path, script: str) -> list[CallFact]:
    """Of the calls, in the order of time."""
    found = Local(capture(folder, script), choice=Choice(Scope.RPC))
    assert found.tables["issues"] == []
    calls = [from_row(row) for row in found.facts if row["kind"] == COM]
    return sorted((one for one in calls if isinstance(one, CallFact)), key=lambda one: one.began)


def told(folder: Path, interface: str, *calls: str) -> list[Com]:
    found = facts(folder, "\n".join((f"connect interface {interface}", *calls)))
    assert all(one.request_whole and one.response_whole for one in found)
    return [one.com for one in found if one.com is not None]


def test_an_activation_gives_what_was_asked_for(tmp_path: Path) -> None:
    created, factory = told(
        tmp_path,
        "IRemoteSCMActivator",
        "RemoteCreateInstance class=MSMQQueueInfo iids=[IDispatch, ITypeInfo] -> gives=[A, null] minor=6 port=5000",
        "RemoteGetClassObject",
    )
    assert created.activation is not None
    assert (created.activation.clsid, created.activation.iids[0]) == ("d7d6e07c-dccd-11d0-aa4b-0060970debae", IDISPATCH)
    (reference,) = created.references
    assert (reference.ipid, reference.iid, reference.public_refs) == (handle("A"), IDISPATCH, 5)
    (exporter,) = created.exporters
    assert (exporter.bindings, exporter.version) == ((("10.0.0.9", 5000),), (5, 6))
    assert exporter.remote_unknown == handle("RU")
    assert factory.activation is not None
    assert factory.activation.factory
    assert [one.problems for one in created.checked] == [()] * len(created.checked)


def test_a_call_says_on_which_object_it_is_made(tmp_path: Path) -> None:
    plain, other = told(tmp_path, "IDispatch", "Invoke", "Invoke object=B MinorVersion=2 flags=4 cid=other")
    assert (plain.object, plain.major, plain.minor, plain.flags) == (handle("A"), 5, 7, 0)
    assert (other.object, other.major, other.minor, other.flags) == (handle("B"), 5, 2, 4)
    assert (plain.cid, other.cid) == (handle("causality"), handle("other"))


def test_references_keep_their_numbers(tmp_path: Path) -> None:
    script = (
        "connect interface IDispatch\nalter interface IRemUnknown\nInvoke -> gives=B\n"
        "RemQueryInterface ripid=B -> gives=[C]\nInvoke rgvarg=[[9, C]] public=1 -> gives=D oxid=7 oid=8\n"
        "RemRelease refs=[[B, 5], [C, 4, 1]]\n"
    )
    given, queried, passed, released = (one.com for one in facts(tmp_path, script))
    assert given is not None
    assert queried is not None
    assert passed is not None
    assert released is not None
    (first,), (second,) = given.references, queried.references
    assert (first.oxid, first.oid) == (second.oxid, second.oid)
    back, new = passed.references
    assert (back.given, back.ipid, back.public_refs) == (False, handle("C"), 1)
    assert (new.given, new.oxid, new.oid) == (True, 7, 8)
    assert [(one.ipid, one.public_refs, one.private_refs) for one in released.counted] == [
        (handle("B"), 5, 0),
        (handle("C"), 4, 1),
    ]


@pytest.mark.parametrize(
    ("call", "about", "given"),
    [
        ('Invoke rgvarg=["ab"] cBytes=9', "bstr", False),
        ('Invoke -> pVarResult="ab" cBytes=9', "bstr", True),
        ('Invoke rgvarg=[[0x2008, ["a"]]] fFeatures=0x800', "safearray", False),
        ('Invoke -> pVarResult=[0x2011, "00"] fFeatures=0x800', None, True),
        ("Invoke -> gives=B form=3", "objref", True),
        ("GetTypeInfo -> iid=IDispatch", "iid", True),
    ],
)
def test_what_a_part_says_of_itself_can_be_wrong(tmp_path: Path, call: str, about: str | None, given: bool) -> None:
    (found,) = told(tmp_path, "IDispatch", call)
    wrong = {(one.about, one.given) for one in found.checked if one.problems}
    assert wrong == (set() if about is None else {(about, given)})


def test_a_number_can_be_called_on_an_object(tmp_path: Path) -> None:
    (found,) = facts(tmp_path, "connect interface IDispatch\nopnum number=1 object=A -> fault=0x80010108")
    assert found.com is not None
    assert (found.opnum, found.operation, found.com.object) == (1, None, handle("A"))
    assert found.com.cid == handle("causality")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("RemRelease refs=A", "is no list such as"),
        ("RemRelease refs=[A]", "is no list such as"),
        ("RemRelease object=5x", "neither a GUID nor a name"),
        ("Invoke refs=[[A, 5]]", "nothing that Invoke has"),
    ],
)
def test_what_makes_no_sense_is_refused(line: str, why: str) -> None:
    with pytest.raises(ScriptError, match=why):
        play(f"connect interface IRemUnknown\nalter interface IDispatch\n{line}")
