"""What a real stub says, in the few words that others have for it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from decoders.dcom.activation_blob import blob_of
from decoders.dcom.dual_strings import from_ndr
from decoders.dcom.objref import parse_objref
from tests.decoders.dcom.captured import stubs

if TYPE_CHECKING:
    from decoders.dcom.activation_blob import ActivationBlob
    from decoders.dcom.dual_strings import DualStrings
    from decoders.ndr.model import Direction
    from tests.decoders.dcom.captured import Stub

ACTIVATIONS = ("RemoteGetClassObject", "RemoteCreateInstance")

Bindings = tuple[tuple[int, str], ...]
"""Tower and address, or authentication service and principal."""


class Reference(NamedTuple):
    iid: str
    public_refs: int
    oxid: int
    oid: int
    ipid: str
    bindings: Bindings


class Asked(NamedTuple):
    cid: str
    clsid: str
    iids: tuple[str, ...]
    server: str


class Answered(NamedTuple):
    oxid: int
    rem_unknown: str
    version: tuple[int, int]
    bindings: Bindings
    securities: Bindings
    results: tuple[int, ...]
    references: tuple[Reference, ...]


class Query(NamedTuple):
    ipid: str
    refs: int
    iids: tuple[str, ...]


class Result(NamedTuple):
    hresult: int
    flags: int
    public_refs: int
    oxid: int
    oid: int
    ipid: str


def activations(direction: Direction) -> list[Stub]:
    found = of(*ACTIVATIONS, direction=direction)
    assert len(found) >= 5
    return found


def of(*operations: str, direction: Direction) -> list[Stub]:
    found = [stub for stub in stubs() if stub.operation.name in operations and stub.direction is direction]
    assert found
    return found


def strings(found: DualStrings | None) -> Bindings:
    assert found
    return tuple((one.tower, one.address) for one in found.string_bindings)


def securities(found: DualStrings | None) -> Bindings:
    assert found
    return tuple((one.authn_service, one.principal) for one in found.security_bindings)


def asked(stub: Stub) -> Asked:
    values = stub.decoded().values
    blob = _blob(values["pActProperties"])
    info, security = _value(blob, "InstantiationInfo"), _value(blob, "SecurityInfo")
    server = security["pServerInfo"]["pwszName"]
    return Asked(values["orpcthis"]["cid"], info["classId"], tuple(info["pIID"]), server)


def answered(stub: Stub) -> Answered:
    blob = _blob(stub.decoded().values["ppActProperties"])
    reply, out = _value(blob, "ScmReplyInfo")["remoteReply"], _value(blob, "PropsOutInfo")
    bindings = from_ndr(reply["pdsaOxidBindings"])
    version = reply["serverVersion"]
    return Answered(
        reply["Oxid"],
        reply["ipidRemUnknown"],
        (version["MajorVersion"], version["MinorVersion"]),
        strings(bindings),
        securities(bindings),
        tuple(out["phresults"]),
        tuple(reference(one["abData"]) for one in out["ppIntfData"]),
    )


def reference(data: bytes) -> Reference:
    found = parse_objref(data)
    assert found.iid
    assert found.std
    std = found.std
    return Reference(found.iid, std.public_refs, std.oxid, std.oid, std.ipid, strings(found.bindings))


def query(stub: Stub) -> Query:
    values = stub.decoded().values
    return Query(values["ripid"], values["cRefs"], tuple(values["iids"]))


def results(stub: Stub) -> tuple[Result, ...]:
    return tuple(
        Result(one["hResult"], *(one["std"][name] for name in ("flags", "cPublicRefs", "oxid", "oid", "ipid")))
        for one in stub.decoded().values["ppQIResults"]
    )


def released(stub: Stub) -> list[tuple[str, int, int]]:
    references = stub.decoded().values["InterfaceRefs"]
    return [(one["ipid"], one["cPublicRefs"], one["cPrivateRefs"]) for one in references]


def _blob(pointer: dict[str, Any]) -> ActivationBlob:
    blob = blob_of(parse_objref(pointer["abData"]))
    assert blob
    return blob


def _value(blob: ActivationBlob, name: str) -> dict[str, Any]:
    value = blob.value_of(name)
    assert value
    return value
