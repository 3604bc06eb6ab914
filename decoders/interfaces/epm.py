"""The endpoint mapper: [C706] appendix O, as [MS-RPCE] 2.2.1.2 redefines it."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.parameters import reference, value
from decoders.ndr.base_types import BYTE, CHAR, UNSIGNED_LONG, UNSIGNED_SHORT, UUID
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    Interface,
    Member,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Type,
)
from decoders.registry import EPM

error_status = Scalar("error_status", 4)
ept_lookup_handle_t = ContextHandle("ept_lookup_handle_t")

twr_t = Struct(
    "twr_t",
    (
        Member("tower_length", UNSIGNED_LONG, range=(0, 2000)),
        Member("tower_octet_string", Array(BYTE, size_is="tower_length")),
    ),
)
twr_p_t: Final = Pointer(twr_t)
"""Unique: [MS-RPCE] 2.2.1.2 gives no pointer_default. Some peers send one referent id for all towers of an answer."""

ept_entry_t = Struct(
    "ept_entry_t",
    (
        Member("object", UUID),
        Member("tower", twr_p_t),
        Member("annotation", String(CHAR, bound=64)),
    ),
)

RPC_IF_ID = Struct(
    "RPC_IF_ID",
    (Member("Uuid", UUID), Member("VersMajor", UNSIGNED_SHORT), Member("VersMinor", UNSIGNED_SHORT)),
)


def _optional(name: str, to: Type) -> Parameter:
    return Parameter(Direction.IN, Member(name, Pointer(to, PointerKind.FULL, written=True)))


_HANDLE: Final = reference(Direction.IN | Direction.OUT, "entry_handle", ept_lookup_handle_t)
_STATUS: Final = reference(Direction.OUT, "status", error_status)
_ENTRIES: Final = (value("num_ents", UNSIGNED_LONG), value("entries", Array(ept_entry_t, size_is="num_ents")))

INTERFACE: Final = Interface(
    **EPM.identity,
    doc="Says at which port or pipe a server listens for an interface.",
    operations=(
        Operation(
            0,
            "ept_insert",
            (*_ENTRIES, value("replace", UNSIGNED_LONG), _STATUS),
            None,
            "2.2.1.2.6",
            "Registers endpoints; Windows does not offer it to others.",
            status="status",
        ),
        Operation(
            1,
            "ept_delete",
            (*_ENTRIES, _STATUS),
            None,
            "2.2.1.2.7",
            "Takes endpoints back; Windows does not offer it to others.",
            status="status",
        ),
        Operation(
            2,
            "ept_lookup",
            (
                value("inquiry_type", UNSIGNED_LONG),
                _optional("object", UUID),
                _optional("Ifid", RPC_IF_ID),
                value("vers_option", UNSIGNED_LONG),
                _HANDLE,
                value("max_ents", UNSIGNED_LONG, (0, 500)),
                reference(Direction.OUT, "num_ents", UNSIGNED_LONG),
                Parameter(
                    Direction.OUT, Member("entries", Array(ept_entry_t, size_is="max_ents", length_is="*num_ents"))
                ),
                _STATUS,
            ),
            None,
            "2.2.1.2.4",
            "Lists the registered endpoints.",
            status="status",
        ),
        Operation(
            3,
            "ept_map",
            (
                _optional("obj", UUID),
                Parameter(Direction.IN, Member("map_tower", Pointer(twr_t, PointerKind.FULL, written=True))),
                _HANDLE,
                value("max_towers", UNSIGNED_LONG, (0, 500)),
                reference(Direction.OUT, "num_towers", UNSIGNED_LONG),
                # The IDL has [ptr], yet no referent id stands before the array.
                Parameter(
                    Direction.OUT, Member("ITowers", Array(twr_p_t, size_is="max_towers", length_is="*num_towers"))
                ),
                _STATUS,
            ),
            None,
            "2.2.1.2.5",
            "Asks where an interface can be reached.",
            status="status",
        ),
        Operation(
            4,
            "ept_lookup_handle_free",
            (_HANDLE, _STATUS),
            None,
            "2.2.1.2.8",
            "Ends a listing before its end.",
            status="status",
        ),
        Operation(
            5,
            "ept_inq_object",
            (reference(Direction.OUT, "ept_object", UUID), _STATUS),
            None,
            "2.2.1.2.9",
            "Asks for the endpoint mapper's own object id; Windows does not offer it.",
            status="status",
        ),
        Operation(
            6,
            "ept_mgmt_delete",
            (
                value("object_speced", UNSIGNED_LONG),
                _optional("object", UUID),
                Parameter(Direction.IN, Member("tower", Pointer(twr_t, PointerKind.FULL, written=True))),
                _STATUS,
            ),
            None,
            "2.2.1.2.10",
            "Deletes others' endpoints; Windows does not offer it.",
            status="status",
        ),
    ),
    types={
        "error_status": error_status,
        "ept_lookup_handle_t": ept_lookup_handle_t,
        "twr_t": twr_t,
        "ept_entry_t": ept_entry_t,
        "RPC_IF_ID": RPC_IF_ID,
    },
    binding_handle="hEpMapper",
)
