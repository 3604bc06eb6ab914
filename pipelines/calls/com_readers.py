"""What single operations of DCOM say of objects, by interface and operation: parts of the fact of a call."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.activation_blob import blob_of
from decoders.dcom.asked_for import AskedFor, asked_for
from decoders.limits import MAX_REFERENCES_OF_A_CALL
from decoders.oaut.values import bstr_value
from pipelines.calls.com_references import exporter, reference, references
from pipelines.facts.com import Activation, Counted, Invoked, Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Raw = dict[str, Any]
_FACTORY_MODE: Final = 0xFFFF_FFFF


def _activated(asked: Raw, answered: Raw, *, factory: bool) -> dict[str, Any]:
    """IRemoteSCMActivator: [MS-DCOM] 2.2.22."""
    wanted, got = (reference(values) for values in (asked.get("pActProperties"), answered.get("ppActProperties")))
    told = (asked_for(wanted) if wanted else None) or AskedFor(None, (), None)
    found: dict[str, Any] = {
        "activation": Activation(clsid=told.clsid, iids=told.iids, server_name=told.server_name, factory=factory)
    }
    if got is not None and (blob := blob_of(got)) is not None:
        reply = ((blob.value_of("ScmReplyInfo") or {}).get("remoteReply")) or {}
        found["exporters"] = tuple(exporter(reply, "Oxid", "pdsaOxidBindings", "ipidRemUnknown", "serverVersion"))
        out = blob.value_of("PropsOutInfo") or {}
        found["references"] = tuple(references(out.get("ppIntfData"), given=True, clsid=told.clsid))
    return found


def _remote_activation(asked: Raw, answered: Raw) -> dict[str, Any]:
    clsid = asked.get("Clsid")
    return {
        "activation": Activation(
            clsid=clsid,
            iids=tuple(asked.get("pIIDs") or ()),
            server_name=None,
            factory=asked.get("Mode") == _FACTORY_MODE,
        ),
        "exporters": tuple(exporter(answered, "pOxid", "ppdsaOxidBindings", "pipidRemUnknown", "pServerVersion")),
        "references": tuple(references(answered.get("ppInterfaceData"), given=True, clsid=clsid)),
    }


def _resolved(asked: Raw, answered: Raw) -> dict[str, Any]:
    values = {**answered, "pOxid": asked.get("pOxid")}
    return {"exporters": tuple(exporter(values, "pOxid", "ppdsaOxidBindings", "pipidRemUnknown", "pComVersion"))}


def _queried(asked: Raw, answered: Raw) -> dict[str, Any]:
    """REMQIRESULT has its reference as NDR, and says not of which interface: that stands in the request."""
    iids, results = asked.get("iids") or (), answered.get("ppQIResults") or ()
    found = [
        Reference(
            given=True,
            iid=iid,
            oxid=one["std"]["oxid"],
            oid=one["std"]["oid"],
            ipid=one["std"]["ipid"],
            public_refs=one["std"]["cPublicRefs"],
            flags=one["std"]["flags"],
        )
        for iid, one in zip(iids, results, strict=False)
        if one and one.get("hResult") == 0 and one.get("std") and one["std"].get("ipid")
    ]
    return {"references": tuple(found[:MAX_REFERENCES_OF_A_CALL])}


def _counted(asked: Raw, _: Raw) -> dict[str, Any]:
    refs = [one for one in asked.get("InterfaceRefs") or () if one and one.get("cPrivateRefs") is not None]
    return {
        "counted": tuple(
            Counted(ipid=one["ipid"], public_refs=one["cPublicRefs"], private_refs=one["cPrivateRefs"])
            for one in refs[:MAX_REFERENCES_OF_A_CALL]
        )
    }


def _names(asked: Raw, answered: Raw) -> dict[str, Any]:
    names = list(takewhile(lambda one: isinstance(one, str), asked.get("rgszNames") or ()))
    dispids = answered.get("rgDispId") or ()
    return {"names": tuple(names[:_MAX_NAMES]), "dispids": tuple(dispids[:_MAX_NAMES])}


def _member_names(asked: Raw, answered: Raw) -> dict[str, Any]:
    """ITypeInfo: the first name is the member's, of which the request has the number."""
    names = [bstr_value(one) for one in answered.get("rgBstrNames") or ()]
    if not names or names[0] is None or asked.get("memid") is None:
        return {}
    return {"names": (names[0],), "dispids": (asked["memid"],)}


def _documented(asked: Raw, answered: Raw) -> dict[str, Any]:
    name = bstr_value(answered.get("pBstrName"))
    return {} if name is None or asked.get("memid") is None else {"names": (name,), "dispids": (asked["memid"],)}


_MAX_NAMES: Final = 64


def _invoked(asked: Raw, _: Raw) -> dict[str, Any]:
    dispid, flags = asked.get("dispIdMember"), asked.get("dwFlags")
    if dispid is None or flags is None:
        return {}
    given = asked.get("pDispParams") or {}
    cut = given.get("cArgs") is None
    return {"invoked": Invoked(dispid=dispid, flags=flags, named=given.get("cNamedArgs") or 0, cut=cut)}


@cache
def _factory_or_not(*, factory: bool) -> Callable[[Raw, Raw], dict[str, Any]]:
    return lambda asked, answered: _activated(asked, answered, factory=factory)


READERS: Final[Mapping[tuple[str, str], Callable[[Raw, Raw], dict[str, Any]]]] = {
    ("IRemoteSCMActivator", "RemoteGetClassObject"): _factory_or_not(factory=True),
    ("IRemoteSCMActivator", "RemoteCreateInstance"): _factory_or_not(factory=False),
    ("IActivation", "RemoteActivation"): _remote_activation,
    ("IObjectExporter", "ResolveOxid"): _resolved,
    ("IObjectExporter", "ResolveOxid2"): _resolved,
    **{
        (interface, operation): reader
        for interface in ("IRemUnknown", "IRemUnknown2")
        for operation, reader in (("RemQueryInterface", _queried), ("RemAddRef", _counted), ("RemRelease", _counted))
    },
    ("IDispatch", "GetIDsOfNames"): _names,
    ("IDispatch", "Invoke"): _invoked,
    ("ITypeInfo", "GetNames"): _member_names,
    ("ITypeInfo", "GetDocumentation"): _documented,
}
