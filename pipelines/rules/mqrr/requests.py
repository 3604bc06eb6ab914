"""[MS-MQRR]: what a read must ask for, and what it gets where that cannot be right. One call is enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqrr.arguments import QUEUE_KINDS, SHARE_MODES, queue_kind
from pipelines.rules.mqrr.handles import NOT_OPEN_CODES
from pipelines.rules.shown import hexadecimal
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NAMING: Final = v.LOOKUP_CURRENT | {v.LOOKUP_PEEK_PREV, v.LOOKUP_RECEIVE_PREV}
"""Actions that need a message to begin at."""
_FROM_THE_FRONT: Final = frozenset((v.LOOKUP_PEEK_NEXT, v.LOOKUP_RECEIVE_NEXT))
"""They need one here, and in [MS-MQQP] begin at the front of the queue without one: the first message is read so."""
_PEEK_IN_TRANSACTION: Final = (v.MQ_ERROR_INVALID_PARAMETER, v.MQ_ERROR_TRANSACTION_USAGE)


def unsuitable(step: CallStep) -> dict[str, Any]:
    """Of a start: the values that do not go with its action, however the document is read."""
    asked = step.request
    action, message, cursor, timeout = (asked.get(name, 0) for name in ("ulAction", "LookupId", "hCursor", "ulTimeout"))
    wrong: dict[str, Any] = {}
    if action in v.ACTIONS_BY_POSITION and message:
        wrong["LookupId"] = f"0x{message:x}"
    if action == v.PEEK_NEXT and not cursor:
        wrong["hCursor"] = hexadecimal(0)
    if action in v.ACTIONS_BY_LOOKUP and cursor:
        wrong["hCursor"] = hexadecimal(cursor)
    if action in v.ACTIONS_BY_LOOKUP and timeout:
        wrong["ulTimeout"] = timeout
    return wrong


def _peek_in_transaction(step: CallStep) -> dict[str, Any]:
    transaction = unit_of_work(step.request.get("pTransactionId"))
    peeks = step.request.get("ulAction", 0) in v.ACTIONS.keys() - v.RECEIVING
    return {"pTransactionId": transaction} if peeks and transaction else {}


def _action_shown(step: CallStep) -> str:
    action = step.request.get("ulAction", 0)
    return v.ACTIONS.get(action, hexadecimal(action))


def _action_known(step: CallStep) -> Answer:
    return step.request.get("ulAction", 0) in v.ACTIONS or Broken({"ulAction": _action_shown(step)})


def _read_values(step: CallStep) -> Answer:
    action = step.request.get("ulAction", 0)
    if action not in v.ACTIONS:
        return None
    wrong = unsuitable(step) | _peek_in_transaction(step)
    message = step.request.get("LookupId", 0)
    if not wrong and ((action in _FROM_THE_FRONT and not message) or _contrary(step, action)):
        return Reason.TEXTS_CONTRADICT
    if action in _NAMING and not message and not _contrary(step, action):
        wrong["LookupId"] = 0
    return not wrong or Broken({"ulAction": _action_shown(step), **wrong})


def _contrary(step: CallStep, action: int) -> bool:
    """Of MQ_LOOKUP_RECEIVE_PREV the table of 3.1.4.7 wants LookupId 0, and the text around it any other."""
    return step.call.method == v.REMOTE_START and action == v.LOOKUP_RECEIVE_PREV


def _error_arguments(step: CallStep) -> Answer:
    if step.call.method == v.REMOTE_OPEN:
        return _error_open(step)
    # Nothing says that the arguments are looked at before the handle is.
    if step.code in NOT_OPEN_CODES:
        return None
    shown = {"ulAction": _action_shown(step)}
    if (wrong := unsuitable(step)) or step.request.get("ulAction", 0) not in v.ACTIONS:
        return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown | wrong)
    if wrong := _peek_in_transaction(step):
        return demanded(step, _PEEK_IN_TRANSACTION, shown | wrong)
    return None


def _error_open(step: CallStep) -> Answer:
    """[MS-MQDMPR] has codes of its own for a queue that cannot be opened: any failure will do."""
    kind, share_mode = queue_kind(step), step.request.get("dwShareMode", 0)
    if kind in QUEUE_KINDS and share_mode in SHARE_MODES:
        return None
    return not step.succeeded or Broken({"m_qft": kind, "dwShareMode": share_mode, "answer": "opened"})


_rule = partial(Rule, document="MS-MQRR", keyword="MUST")

RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "mqrr-action-known",
        "A read asks for an action that there is not",
        section="3.1.4.7, 3.1.4.13",
        requirement="ulAction is one of the three MQ_ACTION_* or of the six MQ_LOOKUP_*.",
        party=Party.CLIENT,
        level=Level.MEDIUM,
        operations=v.REMOTE_STARTS,
        check=_action_known,
    ),
    _rule(
        "mqrr-read-values",
        "The arguments of a read do not suit its action",
        section="3.1.4.7, 3.1.4.13, 3.2.4.9, 3.2.4.10.1, 3.2.4.10.2",
        requirement="MQ_ACTION_* comes without LookupId, MQ_ACTION_PEEK_NEXT with a cursor; MQ_LOOKUP_* without cursor "
        "and time to wait, *_CURRENT and *_PREV with LookupId; a peek names no transaction.",
        party=Party.CLIENT,
        level=Level.LOW,
        operations=v.REMOTE_STARTS,
        check=_read_values,
        undecidable_when="LookupId of MQ_LOOKUP_RECEIVE_PREV is 0 by one sentence and not 0 by another; *_NEXT without "
        "one begins at the front of the queue in MS-MQQP",
    ),
    _rule(
        "mqrr-error-arguments",
        "Arguments that cannot be right were not refused as they must",
        section="3.1.4.2, 3.1.4.7, 3.1.4.13",
        requirement="A read with arguments that do not go together gets MQ_ERROR_INVALID_PARAMETER, a peek in a "
        "transaction that or MQ_ERROR_TRANSACTION_USAGE; an open with such arguments fails. A server may refuse any "
        "client for another reason, as by note <14>.",
        party=Party.SERVER,
        level=Level.LOW,
        operations=(v.REMOTE_OPEN, *v.REMOTE_STARTS),
        needs=BOTH,
        check=_error_arguments,
    ),
)
