"""IEnumVARIANT: [MS-OAUT] 3.3. What a collection's _NewEnum gives, and how scripts go through one."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.com_parameters import counted, method, out, out_interface
from decoders.interfaces.parameters import value
from decoders.ndr.model import Direction, Interface, Named
from decoders.oaut.declarations import TYPES
from decoders.oaut.types import ULONG
from decoders.registry import BY_NAME

IID_IENUMVARIANT: Final = "00020404-0000-0000-c000-000000000046"
_WANTED: Final = value("celt", ULONG)

INTERFACE: Final = Interface(
    **BY_NAME["IEnumVARIANT"].identity,
    doc="Goes through the elements of a collection.",
    operations=(
        method(
            3,
            "Next",
            (
                _WANTED,
                counted(Direction.OUT, "rgVar", Named("VARIANT"), "celt", "*pCeltFetched"),
                out("pCeltFetched", ULONG),
            ),
            "3.3.4.1",
            "Gets the next elements.",
        ),
        method(4, "Skip", (_WANTED,), "3.3.4.2", "Passes over elements."),
        method(5, "Reset", (), "3.3.4.3", "Begins again."),
        method(
            6,
            "Clone",
            (out_interface("ppEnum", "IEnumVARIANT", IID_IENUMVARIANT),),
            "3.3.4.4",
            "Gets another enumerator at the same place.",
        ),
    ),
    types=TYPES,
)
