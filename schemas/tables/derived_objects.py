"""Queues by their format names, kinds of objects, and searches of the directory, in people's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.interfaces import mqds
from decoders.interfaces.qmmgmt import MgmtObjectType
from decoders.limits import MAX_PROPERTY_ROWS
from decoders.msmq.directory_properties import DIRECTORY_PROPERTIES, OBJECT_TYPES, directory_property_name
from decoders.msmq.format_names import format_name
from schemas.model import STRING, Column
from schemas.tables.derived_model import Derived, Values
from schemas.tables.derived_properties import value_text

if TYPE_CHECKING:
    from collections.abc import Callable

_MANAGED_TYPES: Final = {number: name for name, number in MgmtObjectType.members}
_SIGNS: Final = {"PRLT": "<", "PRLE": "<=", "PRGT": ">", "PRGE": ">=", "PREQ": "=", "PRNE": "!="}
_RELATIONS: Final = {constant.value: _SIGNS[constant.name] for constant in mqds.RELATIONS}
_ORDERS: Final = {
    constant.value: "ascending" if constant.name == "QUERY_SORTASCEND" else "descending"
    for constant in mqds.SORT_ORDERS
}
_NAMES: Final = pa.list_(STRING)


def _inside(values: Values, *path: str) -> Any:  # noqa: ANN401 - any decoded value
    found: Any = values
    for name in path:
        if not isinstance(found, dict):
            return None
        found = found.get(name)
    return found


def _queue(*path: str) -> Callable[[Values, Values], str | None]:
    """A QUEUE_FORMAT of the request; of the response where that has it too."""

    def of(request: Values, response: Values) -> str | None:
        names = (_inside(side, *path) for side in (response, request))
        return next((name for queue in names if queue and (name := format_name(queue))), None)

    return of


def _handle_name(_: Values, response: Values) -> str | None:
    """A buffer may hold more behind the end of its text."""
    text = response.get("lpwcsFormatName")
    return text.split("\0", 1)[0] if text else None


def _restriction(request: Values, _: Values) -> list[str] | None:
    entries = _inside(request, "pRestriction", "paPropRes")
    return None if entries is None else [_condition(one) for one in entries[:MAX_PROPERTY_ROWS] if one]


def _condition(one: Values) -> str:
    propid, relation, value = one.get("prop"), one.get("rel"), one.get("prval")
    sign = _RELATIONS.get(relation if relation is not None else -1, f"relation {relation}")
    text = value_text(DIRECTORY_PROPERTIES.get(propid or 0), value) if value else ""
    return f"{_name(propid)} {sign} {text}".rstrip()


def _columns(request: Values, _: Values) -> list[str] | None:
    columns = _inside(request, "pColumns", "aCol")
    return None if columns is None else [_name(propid) for propid in columns[:MAX_PROPERTY_ROWS]]


def _sort(request: Values, _: Values) -> list[str] | None:
    keys = _inside(request, "pSort", "aCol")
    if keys is None:
        return None
    return [
        f"{_name(key.get('propColumn'))} {_ORDERS.get(key.get('dwOrder'), 'in unknown order')}"
        for key in keys[:MAX_PROPERTY_ROWS]
        if key
    ]


def _name(propid: int | None) -> str:
    return directory_property_name(propid or 0) or f"property {propid}"


def _kind(names: dict[int, str], doc: str, *path: str) -> Derived:
    column = Column("object_type", STRING, doc, values=tuple(names.values()))
    return Derived(column, lambda request, _: names.get(_inside(request, *path)))


def _named(column: str, doc: str, *path: str) -> Derived:
    return Derived(Column(column, STRING, doc), _queue(*path))


_FORMAT_NAME: Final = "The queue's format name, e.g. `DIRECT=OS:srv01\\private$\\orders`."
QUEUE: Final = _named("format_name", _FORMAT_NAME, "pQueueFormat")
OBJECT_QUEUE: Final = _named("format_name", _FORMAT_NAME, "pObjectFormat", "pQueueFormat")
HANDLE_QUEUE: Final = Derived(Column("format_name", STRING, _FORMAT_NAME), _handle_name)
ADMIN_QUEUE: Final = _named(
    "admin_queue", "Format name of the queue that acknowledgments go to.", "ptb", "old", "Send", "pAdminQueueFormat"
)
RESPONSE_QUEUE: Final = _named(
    "response_queue", "Format name of the queue that answers go to.", "ptb", "old", "Send", "pResponseQueueFormat"
)
MANAGED_TYPE: Final = _kind(
    _MANAGED_TYPES, "What the call is about: MGMT_MACHINE, MGMT_QUEUE, MGMT_SESSION.", "pObjectFormat", "type"
)
DIRECTORY_TYPE: Final = _kind(OBJECT_TYPES, "Kind of the object, e.g. MQDS_QUEUE.", "dwObjectType")
RESTRICTION: Final = Derived(
    Column("restriction", _NAMES, "What the objects looked for must fulfil, e.g. `PROPID_Q_LABEL = orders`."),
    _restriction,
)
COLUMNS: Final = Derived(Column("columns", _NAMES, "Names of the properties asked for."), _columns)
SORT: Final = Derived(Column("sort", _NAMES, "By which properties the results are sorted, and how."), _sort)
