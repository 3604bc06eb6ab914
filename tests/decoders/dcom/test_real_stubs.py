"""Real stubs are read without a problem, and what was read makes the same bytes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from decoders.dcom.activation_blob import blob_of, encode_blob
from decoders.dcom.dual_strings import from_ndr
from decoders.dcom.objref import Form, encode_objref, parse_objref
from decoders.dcom.orpc import looks_like_orpcthis, write_implicit
from decoders.ndr import encoder
from decoders.ndr.model import Direction, Syntax
from tests.decoders.dcom.captured import ORPC, Stub, needed, stubs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from decoders.dcom.activation_blob import ActivationBlob

pytestmark = needed

OTHER_IDS = 0x51525301
"""No byte of it is one of the usual referent ids'."""
KNOWN = {
    ("IObjectExporter", "ResolveOxid2"): 2,
    ("IObjectExporter", "ServerAlive2"): 6,
    ("IRemoteSCMActivator", "RemoteGetClassObject"): 6,
    ("IRemoteSCMActivator", "RemoteCreateInstance"): 4,
    ("IRemUnknown", "RemRelease"): 2,
    ("IRemUnknown2", "RemQueryInterface"): 142,
    ("IRemUnknown2", "RemRelease"): 26,
    ("IClassFactory", "CreateInstance"): 8,
}
"""Requests and responses of the captures that are there today; more may come."""


def test_every_stub_is_read_without_a_problem() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for stub in stubs():
        implicit, decoded = stub.implicit(), stub.decoded()
        assert decoded.problems == (), stub
        assert decoded.consumed == len(stub.data)
        assert implicit is None or (implicit.complete and implicit.problems == ())
        found[stub.interface.name, stub.operation.name] += 1
    assert all(found[name] >= count for name, count in KNOWN.items()), found


def test_every_stub_is_made_again() -> None:
    for stub in stubs():
        assert_same(stub.data, partial(encoded, stub))


def encoded(stub: Stub, fill: int) -> bytes:
    implicit = stub.implicit()
    before = b""
    if implicit is not None:
        assert implicit.value is not None
        before = write_implicit(stub.direction, implicit.value, stub.byte_order, fill=fill)
    values, types = stub.decoded().values, stub.interface.types
    return encoder.encode(
        stub.operation, stub.direction, values, types, Syntax.NDR, stub.byte_order, fill=fill, before=before
    )


def assert_same(real: bytes, make: Callable[[int], bytes]) -> None:
    """Gaps hold what was in memory, and referent ids are the sender's; that they are not 0 is compared."""
    ours, gaps = make(0), make(0xFF)
    with patch.object(encoder, "_FIRST_REFERENT_ID", OTHER_IDS):
        ids = make(0)
    assert len(real) == len(ours)
    filled = {at for at in range(len(ours)) if ours[at] != gaps[at]}
    named = [at for at in range(len(ours)) if ours[at] != ids[at]]
    assert len(named) % 4 == 0
    for at in named[::4]:
        assert any(real[at : at + 4])
    skipped = filled.union(named)
    assert [at for at in range(len(ours)) if real[at] != ours[at] and at not in skipped] == []


def test_requests_of_objects_look_like_it_and_others_do_not() -> None:
    for stub in stubs():
        if stub.direction is Direction.IN:
            assert looks_like_orpcthis(stub.data, stub.byte_order) == (stub.interface in ORPC), stub


def references(value: object) -> Iterator[bytes]:
    """Every MInterfacePointer in a decoded value."""
    match value:
        case {"abData": bytes(data)}:
            yield data
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)


def test_every_reference_is_read_and_made_again() -> None:
    forms: Counter[Form | None] = Counter()
    waiting = [data for stub in stubs() for data in references(stub.decoded().values)]
    while waiting:
        data = waiting.pop()
        found = parse_objref(data)
        assert found.problems == ()
        assert encode_objref(found) == data
        forms[found.form] += 1
        blob = blob_of(found)
        if blob is not None:
            waiting += [inner for one in blob.properties for inner in references(one.value)]
    assert forms[Form.STANDARD] >= 8
    assert forms[Form.HANDLER] >= 1
    assert forms[Form.CUSTOM] >= 15


def blobs() -> Iterator[tuple[bytes, ActivationBlob]]:
    for stub in stubs():
        for data in references(stub.decoded().values):
            found = parse_objref(data)
            blob = blob_of(found)
            if blob is not None:
                assert found.custom
                yield found.custom.data, blob


def filled_blob(blob: ActivationBlob, fill: int) -> bytes:
    return encode_blob(blob, fill=fill)


def test_every_activation_is_read_and_made_again() -> None:
    properties: Counter[str | None] = Counter()
    for data, blob in blobs():
        assert blob.all_problems == ()
        assert_same(data, partial(filled_blob, blob))
        properties.update(one.name for one in blob.properties)
    assert properties["InstantiationInfo"] == properties["ScmRequestInfo"] >= 5
    assert properties["PropsOutInfo"] == properties["ScmReplyInfo"] >= 5
    assert None not in properties


def test_bindings_have_ports_where_an_exporter_listens() -> None:
    replies = [blob.value_of("ScmReplyInfo") for _, blob in blobs()]
    found = [from_ndr(reply["remoteReply"]["pdsaOxidBindings"]) for reply in replies if reply]
    assert len(found) >= 5
    for bindings in found:
        assert bindings
        assert bindings.problems == ()
        tcp = [one for one in bindings.string_bindings if one.protocol_sequence == "ncacn_ip_tcp"]
        assert tcp
        assert all(one.port and one.host for one in tcp)
        assert {one.authn_service for one in bindings.security_bindings} >= {9, 10}


def test_a_reference_names_its_resolver_without_port() -> None:
    found: list[Any] = []
    for _, blob in blobs():
        answered = blob.value_of("PropsOutInfo")
        found += [parse_objref(data) for data in references(answered)]
    assert len(found) >= 5
    for one in found:
        assert one.std.public_refs == 5
        assert [binding for binding in one.bindings.string_bindings if binding.port is not None] == []
