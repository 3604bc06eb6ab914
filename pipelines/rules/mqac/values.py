"""What arguments of MSMQ's objects hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.oaut.names import VT
from decoders.oaut.variant import VT_ARRAY
from pipelines.mqac.steps import NOTHING

if TYPE_CHECKING:
    from pipelines.facts.com import Argument
    from pipelines.mqac.steps import MqacStep

NULLS: Final = frozenset((VT["VT_EMPTY"], VT["VT_NULL"]))
"""No value: [MC-MQAC] calls both, and a null pointer, NULL."""
TEXTS: Final = (VT_ARRAY | VT["VT_BSTR"], VT_ARRAY | VT["VT_VARIANT"])


def is_given(step: MqacStep, name: str) -> bool:
    """Neither left out nor NULL."""
    one = step.arguments.get(name)
    return one is not None and one.vt not in NULLS and bool(one.value)


TRANSACTIONS: Final = range(4)
"""MQTRANSACTION."""
_TRANSACTION_TYPES: Final = frozenset((VT["VT_DISPATCH"], VT["VT_I4"]))
_OBJECTS: Final = frozenset((VT["VT_UNKNOWN"], VT["VT_DISPATCH"]))


def is_transaction(step: MqacStep) -> bool:
    """The argument Transaction is of a type that can be one, or is not given."""
    one = step.arguments.get("Transaction")
    return one is None or one.vt is None or one.vt in NULLS or one.vt in _TRANSACTION_TYPES


def same_name(one: str | None, other: str | None) -> bool:
    """Names of computers and queues are the same in upper and lower case: [MS-MQDMPR] 3.1.7.3.8."""
    return (one or "").casefold() == (other or "").casefold()


def no_object(step: MqacStep, name: str) -> bool:
    """A null pointer where an object belongs."""
    one = step.arguments.get(name)
    return one is not None and one.reference is None and one.value in NOTHING and one.vt in (None, *_OBJECTS)


def only_argument(step: MqacStep) -> Argument | None:
    """Of a put, whatever it is called."""
    return next(iter(step.arguments.values()), None)
