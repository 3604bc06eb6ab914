"""What an activation asks for, out of its properties: [MS-DCOM] 2.2.22.2.1 and 2.2.22.2.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from decoders.dcom.activation_blob import PROPERTIES_IN, blob_of

if TYPE_CHECKING:
    from decoders.dcom.objref import ObjRef


class AskedFor(NamedTuple):
    clsid: str | None
    iids: tuple[str, ...]
    server_name: str | None
    """As the client typed it."""


def asked_for(reference: ObjRef) -> AskedFor | None:
    """None: the reference is no request for an activation."""
    if reference.clsid != PROPERTIES_IN or (blob := blob_of(reference)) is None:
        return None
    info = blob.value_of("InstantiationInfo") or {}
    server = (blob.value_of("SecurityInfo") or {}).get("pServerInfo") or {}
    return AskedFor(info.get("classId"), tuple(info.get("pIID") or ()), server.get("pwszName"))
