"""[MC-MQAC] 3.8, 3.9: transactions, which are ended once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.oaut.names import VT
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import TransactionState
from pipelines.rules.model import REQUEST, Broken, Level
from pipelines.rules.mqac.demands import (
    E_INVALIDARG,
    Demand,
    known,
    made_by_client,
    of_client,
    of_server,
    refused,
    settled,
)
from pipelines.rules.object_members import answered, asked, methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_TRANSACTION: Final = "MSMQTransaction"
_XACT_E_NOTSUPPORTED: Final = 0x8004_D00F
_XACTTC_SYNC: Final = 2
_OBJECTS: Final = frozenset((VT["VT_UNKNOWN"], VT["VT_DISPATCH"]))
_ONCE_ALLOWED: Final = frozenset((VT["VT_I4"], VT["VT_I8"]))
"""An earlier text of 3.9.4.2.1 lets these hold a transaction as well."""
_COMMIT: Final = methods(_TRANSACTION, "Commit")
_ABORT: Final = methods(_TRANSACTION, "Abort")
_INIT_NEW: Final = methods(_TRANSACTION, "InitNew")


def _internal(step: MqacStep) -> bool:
    state = step.state
    return isinstance(state, TransactionState) and state.unit is not None and state.unit.internal is True


def _ended(step: MqacStep) -> bool | Reason:
    state = step.state
    if not isinstance(state, TransactionState) or state.unit is None or state.unit.ended is None:
        return False
    return _internal(step) and (settled(step, state.unit.ended) or True)


def _nothing_attached(step: MqacStep) -> bool | Reason:
    state = step.state
    if not isinstance(state, TransactionState) or not (made_by_client(state) or state.unseen):
        return False
    return known(step, state.unit is None and state.attached is None)


def _attached(step: MqacStep) -> bool | Reason:
    state = step.state
    if not isinstance(state, TransactionState):
        return False
    if state.attached is not None:
        return settled(step, state.attached) or True
    return state.unit is not None and state.unit.begun is not None


def _is_odd_commit(step: MqacStep) -> bool:
    sync = step.number("grfTC")
    odd = bool(step.number("fRetaining") or step.number("grfRM")) or sync not in (None, _XACTTC_SYNC)
    return odd and step.member in _COMMIT


def _is_odd_abort(step: MqacStep) -> bool:
    return bool(step.number("fRetaining") or step.number("fAsync")) and step.member in _ABORT


def _no_object(step: MqacStep) -> bool | Reason:
    given = step.arguments.get("varTransaction")
    if given is None or given.vt is None or given.vt in _OBJECTS:
        return False
    return Reason.TEXTS_CONTRADICT if given.vt in _ONCE_ALLOWED else True


_EMPTY: Final = Demand(_nothing_attached, (E_INVALIDARG,))
_ONCE: Final = Demand(_ended, (v.MQ_ERROR_TRANSACTION_SEQUENCE,))
_ODD_COMMIT: Final = Demand(lambda step: _internal(step) and _is_odd_commit(step), (_XACT_E_NOTSUPPORTED,))
_ODD_ABORT: Final = Demand(lambda step: _internal(step) and _is_odd_abort(step), (_XACT_E_NOTSUPPORTED,))
_ATTACHED: Final = Demand(_attached, (v.MQ_ERROR_TRANSACTION_USAGE,))
_SOURCE: Final = Demand(_no_object, (E_INVALIDARG,))
_ENDINGS: Final = (_EMPTY, _ODD_COMMIT, _ODD_ABORT, _ONCE)


def _plain_taken(demand: Demand, is_odd: Callable[[MqacStep], bool]) -> Callable[[MqacStep], Answer]:
    """Of an internal transaction the odd forms are refused, and only they."""
    refuses = refused(demand, _ENDINGS)

    def check(step: MqacStep) -> Answer:
        if is_odd(step):
            return refuses(step)
        if not _internal(step):
            return None
        return Broken(answered(step)) if step.code == _XACT_E_NOTSUPPORTED else True

    return check


def _empty(step: MqacStep) -> Answer:
    answer = refused(_EMPTY, _ENDINGS)(step)
    if answer is not None or not _internal(step) or step.arguments:
        return answer
    return Broken(answered(step)) if step.code == E_INVALIDARG else True


def _reserved(step: MqacStep) -> Answer:
    if not _internal(step):
        return None
    return Broken(asked(step)) if step.number("grfRM") else True


RULES: Final = (
    of_server(
        "mqac-transaction-empty",
        "A transaction object without a transaction was committed or aborted, or one with it was taken for empty",
        section="3.9.3, 3.9.4.1.2, 3.9.4.1.3, 3.9.4.2.1",
        requirement="Commit and Abort of an object to which nothing is attached are answered E_INVALIDARG, and only "
        "these where no arguments are given.",
        members=(*_COMMIT, *_ABORT),
        check=_empty,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-transaction-once",
        "An internal transaction was ended twice",
        section="3.8.4.1.1, 3.8.4.1.2",
        requirement="Commit and Abort of an internal transaction that has ended are answered "
        "MQ_ERROR_TRANSACTION_SEQUENCE.",
        members=(*_COMMIT, *_ABORT),
        check=refused(_ONCE, _ENDINGS),
        undecidable_when="the answer to the first one was not captured, or the two were under way at once",
    ),
    of_server(
        "mqac-commit-arguments",
        "An internal transaction was committed in a form that it does not have, or refused in the plain one",
        section="3.8.4.1.1, 3.9.4.1.2",
        requirement="Commit of an internal transaction with fRetaining, with a grfTC that is not XACTTC_SYNC or with a "
        "grfRM that is not 0 is answered XACT_E_NOTSUPPORTED, and only that; what is left out has its default.",
        members=_COMMIT,
        check=_plain_taken(_ODD_COMMIT, _is_odd_commit),
    ),
    of_client(
        "mqac-commit-reserved",
        "A client committed an internal transaction with a grfRM",
        section="3.8.4.1.1",
        requirement="grfRM is 0 where the transaction is an internal one.",
        level=Level.INFORMATIONAL,
        members=_COMMIT,
        needs=REQUEST,
        check=_reserved,
    ),
    of_server(
        "mqac-abort-arguments",
        "An internal transaction was aborted in a form that it does not have, or refused in the plain one",
        section="3.8.4.1.2, 3.9.4.1.3",
        requirement="Abort of an internal transaction with fRetaining or fAsync is answered XACT_E_NOTSUPPORTED, and "
        "only that; what is left out has its default.",
        members=_ABORT,
        check=_plain_taken(_ODD_ABORT, _is_odd_abort),
    ),
    of_server(
        "mqac-transaction-attached",
        "A transaction was attached to an object that had one",
        section="3.9.4.2.1",
        requirement="InitNew of an object that has a transaction is answered MQ_ERROR_TRANSACTION_USAGE.",
        members=_INIT_NEW,
        check=refused(_ATTACHED, (_ATTACHED, _SOURCE)),
        undecidable_when="the answer to the first InitNew was not captured, or the two were under way at once",
    ),
    of_server(
        "mqac-transaction-source",
        "A value that holds no object was attached as a transaction",
        section="3.9.4.2.1",
        requirement="InitNew with a value that is neither VT_UNKNOWN nor VT_DISPATCH is answered E_INVALIDARG. Earlier "
        "texts also let it be VT_I4 or VT_I8.",
        members=_INIT_NEW,
        check=refused(_SOURCE, (_ATTACHED, _SOURCE)),
        undecidable_when="the value is VT_I4 or VT_I8",
    ),
)
