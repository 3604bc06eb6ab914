"""scapy reads the same in real stubs. The faults it has: RemQueryInterface's results, calls' ORPCTHIS by itself."""

from __future__ import annotations

import uuid
from typing import Any

from scapy.layers.msrpce import msdcom
from scapy.layers.msrpce.raw import ms_dcom

from decoders.dcom.dual_strings import from_ndr
from decoders.ndr.model import Direction
from tests.decoders.dcom import told
from tests.decoders.dcom.captured import needed

pytestmark = needed

Packet = Any
"""scapy has no types."""


def guid(packet: Packet) -> str:
    return str(uuid.UUID(bytes_le=bytes(packet).ljust(16, b"\0")))


def read(name: str, stub: bytes) -> Packet:
    return getattr(ms_dcom, name)(stub, ndr64=False, ndrendian="little")


def bindings(array: Packet) -> tuple[told.Bindings, told.Bindings]:
    first, second = msdcom._ParseStringArray(array)
    return (
        tuple((one.wTowerId, one.aNetworkAddr) for one in first),
        tuple((one.wAuthnSvc, one.aPrincName) for one in second),
    )


def properties(pointer: Packet) -> dict[str, Packet]:
    blob = msdcom.OBJREF(pointer.abData)[msdcom.OBJREF_CUSTOM].pObjectData
    return {type(layer).__name__: layer for layer in (one.payload.payload for one in blob.Property)}


def reference(data: bytes) -> told.Reference:
    found = msdcom.OBJREF(data)
    std = found.payload.std
    first, _ = bindings(found.payload.saResAddr)
    return told.Reference(str(found.iid), std.cPublicRefs, std.oxid, std.oid, str(std.ipid), first)


def test_what_activations_ask() -> None:
    for stub in told.activations(Direction.IN):
        call = read(f"{stub.operation.name}_Request", stub.data)
        found = properties(call.valueof("pActProperties"))
        info = found["InstantiationInfoData"]
        server = found["SecurityInfoData"].valueof("pServerInfo").valueof("pwszName").decode()
        iids = tuple(map(guid, info.valueof("pIID")))
        assert told.asked(stub) == (guid(call.orpcthis.cid), guid(info.classId), iids, server)


def test_what_activations_answer() -> None:
    for stub in told.activations(Direction.OUT):
        call = read(f"{stub.operation.name}_Response", stub.data)
        found = properties(call.valueof("ppActProperties"))
        reply, out = found["ScmReplyInfoData"].valueof("remoteReply"), found["PropsOutInfo"]
        first, second = bindings(reply.valueof("pdsaOxidBindings"))
        assert told.answered(stub) == told.Answered(
            reply.Oxid,
            guid(reply.ipidRemUnknown),
            (reply.serverVersion.MajorVersion, reply.serverVersion.MinorVersion),
            first,
            second,
            tuple(out.valueof("phresults")),
            tuple(reference(one.abData) for one in out.valueof("ppIntfData")),
        )


def test_bindings_of_resolvers() -> None:
    for stub in told.of("ServerAlive2", direction=Direction.OUT):
        ours = from_ndr(stub.decoded().values["ppdsaOrBindings"])
        theirs = bindings(read("ServerAlive2_Response", stub.data).valueof("ppdsaOrBindings"))
        assert (told.strings(ours), told.securities(ours)) == theirs


def test_bindings_of_exporters() -> None:
    for stub in told.of("ResolveOxid2", direction=Direction.OUT):
        values, theirs = stub.decoded().values, read("ResolveOxid2_Response", stub.data)
        ours = from_ndr(values["ppdsaOxidBindings"])
        assert (told.strings(ours), told.securities(ours)) == bindings(theirs.valueof("ppdsaOxidBindings"))
        assert values["pipidRemUnknown"] == guid(theirs.pipidRemUnknown)


def test_queries() -> None:
    """Behind ORPCTHIS, whose 32 bytes change no alignment."""
    for stub in told.of("RemQueryInterface", direction=Direction.IN):
        theirs = read("RemQueryInterface_Request", stub.data[32:])
        assert told.query(stub) == (guid(theirs.ripid), theirs.cRefs, tuple(map(guid, theirs.valueof("iids"))))


def test_releases() -> None:
    for stub in told.of("RemRelease", direction=Direction.IN):
        theirs = read("RemRelease_Request", stub.data[32:]).valueof("InterfaceRefs")
        assert told.released(stub) == [(guid(one.ipid), one.cPublicRefs, one.cPrivateRefs) for one in theirs]
