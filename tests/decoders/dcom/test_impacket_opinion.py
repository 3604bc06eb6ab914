"""impacket reads the same in real stubs."""

from __future__ import annotations

import struct
import uuid
from typing import TYPE_CHECKING, Any

from impacket.dcerpc.v5 import dcomrt

from decoders.dcom.dual_strings import from_ndr
from decoders.ndr.model import Direction
from tests.decoders.dcom import told
from tests.decoders.dcom.captured import needed

if TYPE_CHECKING:
    from tests.decoders.dcom.captured import Stub

pytestmark = needed

_FORMS = {1: dcomrt.OBJREF_STANDARD, 2: dcomrt.OBJREF_HANDLER}


def guid(raw: bytes) -> str:
    return str(uuid.UUID(bytes_le=bytes(raw)))


def octets(pointer: Any) -> bytes:  # noqa: ANN401 - impacket has no types
    return b"".join(pointer["abData"])


def properties(pointer: Any) -> dict[str, bytes]:  # noqa: ANN401
    blob = dcomrt.ACTIVATION_BLOB(dcomrt.OBJREF_CUSTOM(octets(pointer))["pObjectData"])
    header, rest = blob["CustomHeader"], blob["Property"]
    found = {}
    for clsid, size in zip(header["pclsid"], header["pSizes"], strict=True):
        found[guid(clsid["Data"])[4:8]] = rest[: size["Data"]]
        rest = rest[size["Data"] :]
    return found


def parsed(kind: Any, data: bytes) -> Any:  # noqa: ANN401
    made = kind()
    made.fromStringReferents(data[made.fromString(data) :])
    return made


def addresses(raw: bytes) -> told.Bindings:
    found = []
    while raw[:2] != b"\0\0":
        one = dcomrt.STRINGBINDING(raw)
        found.append((one["wTowerId"], one["aNetworkAddr"].removesuffix("\0")))
        raw = raw[len(one) :]
    return tuple(found)


def principals(raw: bytes) -> told.Bindings:
    """One that is empty is without end for impacket."""
    found = []
    while raw[:2] != b"\0\0":
        one = dcomrt.SECURITYBINDING(raw)
        found.append((one["wAuthnSvc"], one["aPrincName"].removesuffix("\0")))
        raw = raw[len(one) :]
    return tuple(found)


def halves(array: Any) -> tuple[bytes, bytes]:  # noqa: ANN401
    units, middle = array["aStringArray"], 2 * array["wSecurityOffset"]
    raw = struct.pack(f"<{len(units)}H", *units)
    return raw[:middle], raw[middle:]


def reference(data: bytes) -> told.Reference:
    found = _FORMS[dcomrt.OBJREF(data)["flags"]](data)
    std = found["std"]
    packed = found["saResAddr"]
    _, offset = struct.unpack_from("<HH", packed)
    first = addresses(packed[4 : 4 + 2 * offset])
    return told.Reference(guid(found["iid"]), std["cPublicRefs"], std["oxid"], std["oid"], guid(std["ipid"]), first)


def test_what_activations_ask() -> None:
    for stub in told.activations(Direction.IN):
        call = getattr(dcomrt, stub.operation.name)(stub.data)
        found = properties(call["pActProperties"])
        info = parsed(dcomrt.InstantiationInfoData, found["01ab"])
        server = parsed(dcomrt.SecurityInfoData, found["01a6"])["pServerInfo"]["pwszName"].removesuffix("\0")
        iids = tuple(guid(one["Data"]) for one in info["pIID"])
        this = call["ORPCthis"]
        assert told.asked(stub) == (guid(this["cid"]), guid(info["classId"]), iids, server)


def test_what_activations_answer() -> None:
    for stub in told.activations(Direction.OUT):
        call = getattr(dcomrt, f"{stub.operation.name}Response")(stub.data)
        found = properties(call["ppActProperties"])
        reply = parsed(dcomrt.ScmReplyInfoData, found["01b6"])["remoteReply"]
        out = parsed(dcomrt.PropsOutInfo, found["0339"])
        version = reply["serverVersion"]
        first, second = halves(reply["pdsaOxidBindings"])
        assert told.answered(stub) == told.Answered(
            reply["Oxid"],
            guid(reply["ipidRemUnknown"]),
            (version["MajorVersion"], version["MinorVersion"]),
            addresses(first),
            principals(second),
            tuple(one["Data"] for one in out["phresults"]),
            tuple(reference(octets(one)) for one in out["ppIntfData"]),
        )


def test_bindings_of_resolvers() -> None:
    for stub in told.of("ServerAlive2", direction=Direction.OUT):
        ours = from_ndr(stub.decoded().values["ppdsaOrBindings"])
        first, _ = halves(dcomrt.ServerAlive2Response(stub.data)["ppdsaOrBindings"])
        assert told.strings(ours) == addresses(first)


def test_bindings_of_exporters() -> None:
    for stub in told.of("ResolveOxid2", direction=Direction.OUT):
        values, theirs = stub.decoded().values, dcomrt.ResolveOxid2Response(stub.data)
        ours = from_ndr(values["ppdsaOxidBindings"])
        first, second = halves(theirs["ppdsaOxidBindings"])
        assert (told.strings(ours), told.securities(ours)) == (addresses(first), principals(second))
        assert values["pipidRemUnknown"] == guid(theirs["pipidRemUnknown"])
        assert values["return_value"] == theirs["ErrorCode"] == 0
    for stub in told.of("ResolveOxid2", direction=Direction.IN):
        assert stub.decoded().values["pOxid"] == dcomrt.ResolveOxid2(stub.data)["pOxid"]


def test_queries() -> None:
    for stub in told.of("RemQueryInterface", direction=Direction.IN):
        theirs = dcomrt.RemQueryInterface(stub.data)
        iids = tuple(guid(one["Data"]) for one in theirs["iids"])
        assert told.query(stub) == (guid(theirs["ripid"]), theirs["cRefs"], iids)
        implicit = stub.implicit()
        assert implicit
        assert implicit.value
        assert implicit.value["cid"] == guid(theirs["ORPCthis"]["cid"])


def _alone(stub: Stub) -> bool:
    """To impacket there is one result, whatever was asked."""
    return len(told.results(stub)) == 1


def test_results() -> None:
    compared = [stub for stub in told.of("RemQueryInterface", direction=Direction.OUT) if _alone(stub)]
    assert len(compared) >= 60
    for stub in compared:
        theirs = dcomrt.RemQueryInterfaceResponse(stub.data)["ppQIResults"]
        std = theirs["std"]
        numbers = std["flags"], std["cPublicRefs"], std["oxid"], std["oid"]
        assert told.results(stub) == ((theirs["hResult"] & 0xFFFFFFFF, *numbers, guid(std["ipid"])),)


def test_releases() -> None:
    for stub in told.of("RemRelease", direction=Direction.IN):
        theirs = dcomrt.RemRelease(stub.data)["InterfaceRefs"]
        assert told.released(stub) == [(guid(one["ipid"]), one["cPublicRefs"], one["cPrivateRefs"]) for one in theirs]
