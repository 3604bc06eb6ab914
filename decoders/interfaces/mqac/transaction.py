"""Transactions and who begins them: [MC-MQAC] 3.6 to 3.9."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.com_parameters import method as operation
from decoders.interfaces.com_parameters import out
from decoders.interfaces.mqac.enumerations import XACTTC
from decoders.interfaces.mqac.slots import (
    VARIANT,
    derived,
    get,
    gives,
    gives_object,
    gives_same,
    method,
    optional,
    revisions,
    takes,
)
from decoders.interfaces.parameters import pointer, value
from decoders.ndr.base_types import LONG, SHORT, UNSIGNED_CHAR
from decoders.ndr.model import Array, Direction, Interface, Member, PointerKind, Struct
from decoders.oaut.types import DWORD, ULONG
from decoders.oaut.types import LONG as DTYP_LONG
from decoders.registry import BY_NAME

BOID = Struct("BOID", (Member("rgb", Array(UNSIGNED_CHAR, bound=16)),), tag="BOID")
XACTTRANSINFO = Struct(
    "XACTTRANSINFO",
    (
        Member("uow", BOID),
        Member("isoLevel", DTYP_LONG),
        Member("isoFlags", ULONG),
        Member("grfTCSupported", DWORD),
        Member("grfRMSupported", DWORD),
        Member("grfTCSupportedRetaining", DWORD),
        Member("grfRMSupportedRetaining", DWORD),
    ),
    tag="XACTTRANSINFO",
)

ITRANSACTION: Final = Interface(
    **BY_NAME["ITransaction"].identity,
    doc="A transaction of the coordinator's.",
    operations=(
        operation(
            3,
            "Commit",
            (value("fRetaining", SHORT), takes("grfTC", DWORD, XACTTC), value("grfRM", DWORD)),
            "3.8.4.1.1",
            "Commits the transaction.",
        ),
        operation(
            4,
            "Abort",
            (
                pointer(Direction.IN, PointerKind.UNIQUE, "pboidReason", BOID),
                value("fRetaining", SHORT),
                value("fAsync", SHORT),
            ),
            "3.8.4.1.2",
            "Aborts the transaction.",
        ),
        operation(
            5, "GetTransactionInfo", (out("pinfo", XACTTRANSINFO),), "3.8.4.1.3", "Asks which transaction it is."
        ),
    ),
    types={"BOID": BOID, "XACTTRANSINFO": XACTTRANSINFO},
)

_PROPERTIES: Final = gives_object("ppcolProperties", "IDispatch")
_NOT_IMPLEMENTED: Final = "a collection of properties, which nobody implements"
_DOC: Final = "A transaction that messages are sent and received in."

TRANSACTION: Final = (
    derived(
        "IMSMQTransaction",
        "3.9.4.1",
        (
            get("Transaction", 0, gives("plTransaction", LONG), "a number that nobody uses any more"),
            method(
                "Commit",
                (optional("fRetaining"), optional("grfTC", XACTTC), optional("grfRM")),
                "Commits the transaction.",
            ),
            method("Abort", (optional("fRetaining"), optional("fAsync")), "Aborts the transaction."),
        ),
        _DOC,
    ),
    derived(
        "IMSMQTransaction2",
        "3.9.4.2",
        (
            method("InitNew", (takes("varTransaction", VARIANT),), "Takes over a transaction of the coordinator's."),
            get("Properties", 1, _PROPERTIES, _NOT_IMPLEMENTED),
        ),
        _DOC,
        10,
    ),
    derived(
        "IMSMQTransaction3",
        "3.9.4.3",
        (get("ITransaction", 2, gives("pvarITransaction", VARIANT), "the transaction of the coordinator's"),),
        _DOC,
        12,
    ),
)

_DISPENSER: Final = (
    method("BeginTransaction", (gives_same("ptransaction", "IMSMQTransaction", 3),), "Begins a transaction."),
    get("Properties", 0, _PROPERTIES, _NOT_IMPLEMENTED),
)
DISPENSER: Final = revisions(
    "IMSMQTransactionDispenser", "3.6.4.1", (1, 2, 2), _DISPENSER, "Begins transactions of one queue manager."
)
COORDINATED_DISPENSER: Final = revisions(
    "IMSMQCoordinatedTransactionDispenser",
    "3.7.4.1",
    (1, 2, 2),
    _DISPENSER,
    "Begins transactions of the coordinator, which others take part in.",
)

INTERFACES: Final = (ITRANSACTION, *TRANSACTION, *DISPENSER, *COORDINATED_DISPENSER)
