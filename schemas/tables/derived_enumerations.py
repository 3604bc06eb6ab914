"""Names of numbers whose enumeration the IDL's type does not tell: MSMQ's COM objects take and give plain ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.interfaces.mqac.enumerations import value_name
from decoders.ndr.model import Direction
from schemas.model import STRING, Column
from schemas.tables.derived_model import Derived, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from decoders.ndr.model import Enum, Operation


def named_values(operation: Operation) -> Iterator[Derived]:
    for parameter in operation.parameters:
        if parameter.values is not None:
            name, answered = parameter.member.name, Direction.OUT in parameter.direction
            doc = f"What `{name}` stands for, by {parameter.values.name}; null where it has no name."
            yield Derived(Column(f"{name}_name", STRING, doc), _name_of(parameter.values, name, answered=answered))


def _name_of(enumeration: Enum, name: str, *, answered: bool) -> Callable[[Values, Values], str | None]:
    def of(request: Values, response: Values) -> str | None:
        number = _number((response if answered else request).get(name))
        return None if number is None else value_name(enumeration, number)

    return of


def _number(value: object) -> int | None:
    """A VARIANT has its value as text; one of another type stands for nothing."""
    match value:
        case int():
            return value
        case {"value": str(text)} if text.lstrip("-").isdecimal():
            return int(text)
    return None
