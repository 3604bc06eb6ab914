"""Who speaks in scripts, and what stands for the bytes of transaction managers and security providers."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.scripts.words import handle, unit_of_work

if TYPE_CHECKING:
    from tests.scripts.stubs import Flat

LICENCE: Final = "11111111-2222-3333-4444-555555555555"
"""The queue manager that reads the queues of another."""
APPLICATION: Final = "33333333-2222-3333-4444-555555555555"
"""The computer of an application without a queue manager."""
TRANSACTION: Final = frozenset(("transaction",))
_NO_TRANSACTION: Final = bytes(16)


def transaction_of(given: Flat, otherwise: str | None = "T") -> Flat | None:
    """The XACTUOW that `transaction` names; null where it is null."""
    identifier = given.get("transaction", otherwise and handle(otherwise))
    return identifier and {"rgb": unit_of_work(identifier)}


def or_no_transaction(given: Flat, otherwise: str | None = "T") -> Flat:
    """[MS-MQRR] 3.2.4.6: all zero means none, where a null pointer cannot stand."""
    return transaction_of(given, otherwise) or {"rgb": _NO_TRANSACTION}


def opaque(what: str, size: int) -> bytes:
    """The same bytes for the same words."""
    return random.Random(what).randbytes(size)
