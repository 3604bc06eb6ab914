"""A reference page an interface: operations, tables, rendered IDL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.interfaces import IMPORTED, INTERFACES
from decoders.ndr.idl import interface_idl, types_idl
from decoders.ndr.model import Enum
from schemas.reference import cell, columns_markdown
from schemas.tables import TYPED
from schemas.tables.typed import COMMON_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.ndr.model import Interface

_COMMON = frozenset(column.name for column in COMMON_COLUMNS)


def pages() -> dict[str, str]:
    """File name to text, for docs/reference/interfaces."""
    return {f"{interface.name}.md": "\n".join(_page(interface)) + "\n" for interface in INTERFACES.values()}


def _page(interface: Interface) -> Iterator[str]:
    major, minor = interface.version
    yield from (f"# {interface.name}", "", f"{interface.doc} [{interface.document}]", "")
    yield from (f"Interface `{interface.uuid}`, version {major}.{minor}.", "")
    yield from ("Made from `decoders/interfaces`; refresh with `make docs`.", "")
    yield from ("## Operations", "", "| opnum | operation | section | |", "|---|---|---|---|")
    for operation in interface.all_operations:
        opnum = f"callback {operation.opnum}" if operation in interface.callbacks else operation.opnum
        yield (
            f"| {opnum} | [`{operation.name}`](#{interface.name.lower()}_{operation.name.lower()}) | "
            f"{operation.section} | {cell(operation.doc)} |"
        )
    if interface.callbacks:
        yield from (
            "",
            "A callback is asked by the server and answered by the client, inside one of the client's calls.",
        )
    yield from ("", "## Tables", "", "All of them begin with these columns:", "", "| column | type | meaning |")
    first = TYPED[interface.uuid, interface.operations[0].opnum, False]
    shared = frozenset(column.name for column in first.columns) - _COMMON
    yield from ("|---|---|---|", *columns_markdown(first, shared), "")
    for operation in interface.all_operations:
        table = TYPED[interface.uuid, operation.opnum, operation in interface.callbacks]
        yield from (f"### {table.name}", "", table.doc, "", "| column | type | meaning |", "|---|---|---|")
        yield from (*columns_markdown(table, _COMMON), "")
    yield from _enumerations(interface)
    imported = {file: types for file, types in IMPORTED.items() if types.keys() <= interface.types.keys()}
    yield from ("## IDL", "", "```idl", interface_idl(interface, IMPORTED).rstrip(), "```")
    for file, types in imported.items():
        yield from ("", f"`{file}`, as far as it is used:", "", "```idl", types_idl(types).rstrip(), "```")


def _enumerations(interface: Interface) -> Iterator[str]:
    found = {name: declared for name, declared in interface.types.items() if isinstance(declared, Enum)}
    if not found:
        return
    yield from ("## Enumerations", "", "Tables hold the numbers.", "", "| type | number | name |", "|---|---|---|")
    for name, declared in found.items():
        yield from (f"| {name} | {number} | `{label}` |" for label, number in declared.members)
    yield ""
