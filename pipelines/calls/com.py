"""What DCOM's calls say of objects: the part of a fact that sessions of objects are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.classes import COM_INTERFACES
from decoders.dcom.orpc import extents_of, looks_like_orpcthis, read_implicit
from decoders.ndr.model import Direction
from decoders.oaut.values import bstr_value
from decoders.registry import REGISTRY, Family
from pipelines.calls.com_arguments import arguments_of, invoked_arguments, result_of, returned, returned_by_invoke
from pipelines.calls.com_checks import checked_parts
from pipelines.calls.com_readers import READERS
from pipelines.calls.com_references import references
from pipelines.facts.com import Com

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Call
    from decoders.ndr.model import Operation
    from pipelines.calls.call_rows import Identity
    from pipelines.calls.stubs import Values
    from pipelines.facts.com import Argument

Raw = dict[str, Any]
_VERSION: Final = "0.0"
_DISP_E_EXCEPTION: Final = 0x8002_0009


def is_native(interface_uuid: str) -> bool:
    """Known, and not of COM: an object UUID in its requests means something else."""
    known = REGISTRY.get(interface_uuid)
    return known is not None and not known.is_com


def is_resolver(interface_uuid: str) -> bool:
    known = REGISTRY.get(interface_uuid)
    return known is not None and known.family is Family.DCOM_ACTIVATION


def is_orpc(interface_uuid: str, call: Call) -> bool:
    """An object UUID alone proves nothing: [C706] gives the field to everybody."""
    if call.object_uuid is None or is_native(interface_uuid):
        return False
    known = REGISTRY.get(interface_uuid)
    if interface_uuid in COM_INTERFACES or (known is not None and known.is_com):
        return True
    request = call.request
    return request is not None and not request.sealed and looks_like_orpcthis(request.stub, request.byte_order)


def opaque_com(interface_uuid: str, call: Call, version: str = _VERSION) -> Com:
    """Of a call whose parameters nobody declared, or that is sealed."""
    request = call.request
    this: Raw = {}
    if request is not None and not request.sealed and not is_resolver(interface_uuid):
        this = read_implicit(Direction.IN, request.stub, request.byte_order, whole=request.complete).value or {}
    told = this.get("version") or {}
    return Com(
        iid=interface_uuid,
        version=_same(version),
        object=None if is_resolver(interface_uuid) else call.object_uuid,
        cid=this.get("cid"),
        major=told.get("MajorVersion"),
        minor=told.get("MinorVersion"),
        flags=this.get("flags") or 0,
    )


def com_of(
    identity: Identity,
    interface: str,
    operation: Operation,
    call: Call,
    request: Values,
    response: Values,
    *,
    keep_payload: bool = False,
) -> Com:
    """`interface`: the one that declares the operation."""
    interface_uuid = identity.interface_uuid
    asked, answered = request.raw or {}, response.raw or {}
    this = request.implicit or asked.get("orpcthis") or asked.get("ORPCthis") or {}
    that = response.implicit or answered.get("orpcthat") or answered.get("ORPCthat") or {}
    more = READERS.get((interface, operation.name))
    parts: dict[str, Any] = {}
    arguments: tuple[Argument, ...] = ()
    result = None
    if is_resolver(interface_uuid):
        # Who calls it with an object UUID calls no object.
        call = call._replace(object_uuid=None)
    elif (interface, operation.name) == ("IDispatch", "Invoke"):
        arguments = invoked_arguments(asked, answered, keep_payload=keep_payload)
        result = result_of(answered.get("pVarResult"))
        parts["returned"] = returned_by_invoke(answered, keep_payload=keep_payload)
    else:
        arguments = arguments_of(operation, asked, answered, keep_payload=keep_payload)
        back = returned(operation, answered, keep_payload=keep_payload)
        result, parts["returned"] = (back.value if back else None), back
    parts["references"] = tuple(references(asked, given=False)) + tuple(references(answered, given=True))
    if more is not None:
        parts |= more(asked, answered)
    errors = [one.error for one in extents_of(that) if one.error is not None]
    exception, scode = _exception(answered)
    if exception is None and errors:
        exception = _sentence(errors[0].source, errors[0].description)
    version = this.get("version") or {}
    return Com(
        iid=interface_uuid,
        version=_same(identity.version),
        # Who calls the resolver with an object UUID calls no object.
        object=None if is_resolver(interface_uuid) else call.object_uuid,
        cid=this.get("cid"),
        major=version.get("MajorVersion"),
        minor=version.get("MinorVersion"),
        flags=this.get("flags") or 0,
        arguments=arguments,
        result=result,
        exception=exception,
        scode=scode,
        checked=checked_parts((interface, operation.name), asked, answered),
        **parts,
    )


def _same(version: str) -> str:
    """What is one object with the default is not stored."""
    return _VERSION if version == _VERSION else version


def _exception(answered: Raw) -> tuple[str | None, int | None]:
    """[MS-OAUT] 2.2.34. It means something only where the call returns DISP_E_EXCEPTION: 3.1.4.4."""
    told = answered.get("pExcepInfo")
    if not told or answered.get("return_value") != _DISP_E_EXCEPTION:
        return None, None
    scode = told.get("scode") or told.get("wCode")
    return _sentence(bstr_value(told.get("bstrSource")), bstr_value(told.get("bstrDescription"))), scode


def _sentence(source: str | None, description: str | None) -> str | None:
    return ": ".join(one for one in (source, description) if one) or None
