"""A reference page an interface: operations, tables, rendered IDL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces import IMPORTED, INTERFACES
from decoders.ndr.idl import imported, interface_idl, types_idl
from decoders.ndr.model import Enum
from schemas.reference import cell, columns_markdown
from schemas.tables import TYPED
from schemas.tables.typed import COMMON_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.ndr.model import Interface, Operation

_COMMON = frozenset(column.name for column in COMMON_COLUMNS)
_SHOWN: Final = {"ms-oaut.idl": "[IDispatch](IDispatch.md)"}
"""What dozens of interfaces import."""
_NUMBERED: Final = 0x6000_0000
"""From here on MIDL numbers members by their place."""


def pages() -> dict[str, str]:
    """File name to text, for docs/reference/interfaces."""
    return {f"{interface.name}.md": "\n".join(_page(interface)) + "\n" for interface in INTERFACES.values()}


def _page(interface: Interface) -> Iterator[str]:
    major, minor = interface.version
    yield from (f"# {interface.name}", "", f"{interface.doc} [{interface.document}]", "")
    yield from (f"Interface `{interface.uuid}`, version {major}.{minor}.", "")
    yield from ("Made from `decoders/interfaces`; refresh with `make docs`.", "")
    yield from ("## Operations", "")
    if not interface.operations:
        yield from (f"It has none of its own: those of {interface.base}.", "")
    else:
        yield from _operations(interface)
    yield from _enumerations(interface)
    yield from ("## IDL", "", "```idl", interface_idl(interface, IMPORTED).rstrip(), "```")
    for file, types in imported(interface, IMPORTED).items():
        if file in _SHOWN:
            yield from ("", f"`{file}` is shown on the page of {_SHOWN[file]}.")
        else:
            yield from ("", f"`{file}`, as far as it is used:", "", "```idl", types_idl(types).rstrip(), "```")


def _operations(interface: Interface) -> Iterator[str]:
    dual = any(operation.automation for operation in interface.operations)
    number = " DISPID |" if dual else ""
    yield from (f"| opnum |{number} operation | section | |", f"|---|{'---|' if dual else ''}---|---|---|")
    for operation in interface.all_operations:
        opnum = f"callback {operation.opnum}" if operation in interface.callbacks else operation.opnum
        anchor = f"#{interface.name.lower()}_{operation.name.lower()}"
        yield (
            f"| {opnum} |{_dispid(operation)} [`{operation.name}`]({anchor}) | {operation.section} "
            f"| {cell(operation.doc)} |"
        )
    if not all(operation.automation.proven for operation in interface.operations if operation.automation):
        yield from ("", "No document that we have tells the DISPIDs in parentheses: a call by one is not named by it.")
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


def _dispid(operation: Operation) -> str:
    if operation.automation is None:
        return ""
    number = operation.automation.dispid
    written = str(number) if abs(number) < _NUMBERED else f"0x{number:08X}"
    return f" {written} |" if operation.automation.proven else f" ({written}) |"


def _enumerations(interface: Interface) -> Iterator[str]:
    shown = {name for file, types in imported(interface, IMPORTED).items() if file in _SHOWN for name in types}
    own = ((name, declared) for name, declared in interface.types.items() if name not in shown)
    found = {name: declared for name, declared in own if isinstance(declared, Enum)}
    if not found:
        return
    yield from ("## Enumerations", "", "Tables hold the numbers.", "", "| type | number | name |", "|---|---|---|")
    for name, declared in found.items():
        yield from (f"| {name} | {number} | `{label}` |" for label, number in declared.members)
    yield ""
