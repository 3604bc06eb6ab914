"""A client creates an object at a server and calls it: the conversations, each as it would be captured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.oaut.building import bstr, variant
from ingest.choice import Choice, Scope
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends, write_pcap
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path

    from decoders.ndr.interpreter import ByteOrder
    from tests.builders.conversations import Frame

Row = dict[str, Any]
RPC: Final = Choice(Scope.RPC)
OXID, FACTORY_OID, OBJECT_OID, INFO_OID = 0xA1, 1, 2, 3
REMOTE_UNKNOWN, FACTORY, OBJECT, DISPATCH, INFO = (c.ipid(number) for number in (0x100, 1, 2, 3, 4))
PORT: Final = 49_700
RESOLVER_ENDS: Final = Ends(50_000, 135)
EXPORTER_ENDS: Final = Ends(50_001, PORT)
EXECUTE: Final = 54
VT_BSTR, VT_I4, BY_REFERENCE = 8, 3, 0x4000
S_OK, DISP_E_EXCEPTION = 0, 0x8002_0009
ACCESS_DENIED: Final = 0xC00E_0025
"""Of MSMQ, which an exception tells."""


def where(port: int = PORT, *hosts: str) -> Row:
    return c.bindings(*(f"{host}[{port}]" for host in hosts or ("SERVER", p.SERVER)))


def activation(
    clsid: str = c.MMC, ends: Ends = RESOLVER_ENDS, bindings: Row | None = None, order: ByteOrder = "<"
) -> ComTalk:
    """A class factory, by way of the object resolver."""
    factory = (c.FACTORY, c.objref(c.FACTORY, OXID, FACTORY_OID, FACTORY))
    told = c.activated(OXID, REMOTE_UNKNOWN, bindings or where(), factory, order=order)
    talk = ComTalk(ends, order).bind(c.ACTIVATOR)
    asked = {"orpcthis": c.this(1), "pActProperties": c.wanted(clsid, c.FACTORY, order=order)}
    answered = {"orpcthat": c.that(1), "ppActProperties": told, "return_value": 0}
    return talk.native(c.ACTIVATOR, "RemoteGetClassObject", asked, answered).close()


def created(talk: ComTalk) -> ComTalk:
    """The factory makes an object, whose other interface the client asks for."""
    made = c.pointer(c.objref(c.UNKNOWN, OXID, OBJECT_OID, OBJECT))
    talk.orpc(c.FACTORY, "CreateInstance", FACTORY, {"riid": c.UNKNOWN}, {"ppUnknown": made})
    return queried(talk, OBJECT, c.DISPATCH, DISPATCH)


def queried(talk: ComTalk, of: str, iid: str, got: str, oid: int = OBJECT_OID) -> ComTalk:
    asked = {"ripid": of, "cRefs": c.PUBLIC, "cIids": 1, "iids": [iid]}
    std = {"flags": 0, "cPublicRefs": c.PUBLIC, "oxid": OXID, "oid": oid, "ipid": got}
    answered = {"ppQIResults": [{"hResult": S_OK, "std": std}]}
    return talk.orpc(c.REMOTE_UNKNOWN2, "RemQueryInterface", REMOTE_UNKNOWN, asked, answered)


def counted(talk: ComTalk, operation: str, **references: int) -> ComTalk:
    """`references` by what the story calls the interface."""
    refs = [
        {"ipid": {"factory": FACTORY, "object": OBJECT, "dispatch": DISPATCH, "info": INFO}[name]}
        | {"cPublicRefs": count, "cPrivateRefs": 0}
        for name, count in references.items()
    ]
    answered = {"pResults": [S_OK] * len(refs)} if operation == "RemAddRef" else {}
    asked = {"cInterfaceRefs": len(refs), "InterfaceRefs": refs}
    return talk.orpc(c.REMOTE_UNKNOWN2, operation, REMOTE_UNKNOWN, asked, answered)


def named(talk: ComTalk, name: str, dispid: int = EXECUTE) -> ComTalk:
    asked = {"riid": c.NULL, "rgszNames": [name], "cNames": 1, "lcid": 1033}
    return talk.orpc(c.DISPATCH, "GetIDsOfNames", DISPATCH, asked, {"rgDispId": [dispid]})


def executed(talk: ComTalk, dispid: int = EXECUTE, **answer: Any) -> ComTalk:  # noqa: ANN401 - of `returned`
    """Two arguments, the last one first."""
    arguments = variant(VT_I4, 7), variant(VT_BSTR, bstr("calc.exe"))
    return talk.orpc(c.DISPATCH, "Invoke", DISPATCH, c.invoked(dispid, *arguments), c.returned(**answer))


def exporter(order: ByteOrder = "<", ends: Ends = EXPORTER_ENDS, also: tuple[str, ...] = ()) -> ComTalk:
    return ComTalk(ends, order).bind(c.FACTORY, c.REMOTE_UNKNOWN2, c.DISPATCH, *also)


def whole_life(order: ByteOrder = "<", ends: Ends = EXPORTER_ENDS, also: tuple[str, ...] = ()) -> ComTalk:
    """From the factory to the last release. `also`: further interfaces that are bound."""
    talk = created(exporter(order, ends, also))
    counted(talk, "RemRelease", factory=5)
    counted(talk, "RemAddRef", dispatch=2)
    executed(named(talk, "ExecuteShellCommand"))
    return counted(counted(talk, "RemRelease", object=5), "RemRelease", dispatch=7).close()


OTHER_PROCESS: Final = "1b30"
"""Its number, which Windows puts into IPIDs."""


def restarted(oxid: int = 0xB2, process: str = OTHER_PROCESS, number: int = 50_010) -> ComTalk:
    """The same port, another exporter: another process, or another apartment of one that is told."""
    of, unknown = (c.ipid(number).replace("0e84", process) for number in (0x900, 0x901))
    told = c.activated(oxid, unknown, where(), (c.FACTORY, c.objref(c.FACTORY, oxid, 77, of)))
    asked = {"orpcthis": c.this(1), "pActProperties": c.wanted(c.MMC, c.FACTORY)}
    answered = {"orpcthat": c.that(1), "ppActProperties": told, "return_value": 0}
    return ComTalk(Ends(number, 135)).bind(c.ACTIVATOR).native(c.ACTIVATOR, "RemoteGetClassObject", asked, answered)


def pinged(*, removed: list[int], number: int = 50_020) -> ComTalk:
    asked = {
        "pSetId": 5,
        "SequenceNum": 2,
        "cAddToSet": 0,
        "cDelFromSet": len(removed),
        "AddToSet": None,
        "DelFromSet": removed,
    }
    answered = {"pSetId": 5, "pPingBackoffFactor": 0, "return_value": 0}
    return ComTalk(Ends(number, 135)).bind(c.RESOLVER).native(c.RESOLVER, "ComplexPing", asked, answered)


def captured(folder: Path, *talks: ComTalk, choice: Choice = RPC, **more: Any) -> Local:  # noqa: ANN401 - of Local
    """One file a conversation, each after the one before."""
    return Local(*files(folder, *talks), choice=choice, **more)


def files(folder: Path, *talks: ComTalk) -> list[Path]:
    paths, at = [], 0
    for number, talk in enumerate(talks):
        paths.append(folder / f"{number}.pcap")
        write_pcap(paths[-1], talk.frames, at)
        at += len(talk.frames)
    return paths


def written(path: Path, frames: list[Frame]) -> Path:
    write_pcap(path, frames)
    return path


def rows(local: Local) -> tuple[list[Row], list[Row]]:
    """Calls and objects."""
    judged = local.judged()
    return judged["com_calls"], judged["com_objects"]


def by_oid(objects: list[Row]) -> dict[int | None, Row]:
    return {None if one["oid"] is None else int(one["oid"], 16): one for one in objects}
