"""[MS-MQQP], the server: the error demanded for an argument that cannot be right. Request and answer are enough."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Broken, Exemption, Level, Party, Rule
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NUMBERS: Final = ("hRemoteQueue", "dwQueue")
_XP: Final = (5, 1, 0)
_SERVER_2003: Final = (5, 2, 0)


def queue_values_fit(step: CallStep) -> bool:
    """Of a start by position."""
    desc = step.desc or {}
    return bool(desc.get("dwQueue")) and desc.get("dwQueue") == desc.get("hRemoteQueue")


def nothing_pending(step: CallStep) -> Reason | None:
    """Why the request id of a start may be that of a pending one; None where no such one can have been missed."""
    if step.session is None or step.session.opened is None:
        return Reason.OPEN_NOT_SEEN
    return step.blind_since(step.session.opened.until)


def _null_descriptor(step: CallStep) -> Answer:
    if step.desc is not None:
        return None
    return demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), {"pRemoteReadDesc": "null"})


def _queue_values(step: CallStep) -> Answer:
    desc = step.desc
    if desc is None or queue_values_fit(step):
        return None
    answer = demanded(
        step, (v.MQ_ERROR_INVALID_PARAMETER,), {name: hexadecimal(desc.get(name, 0)) for name in _NUMBERS}
    )
    if isinstance(answer, Broken) and desc.get("dwQueue") and step.call.method == v.START:
        # [MS-MQMP] <27>: Windows NT and 2000 give a queue two numbers, and take them. They lack the newer start.
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        return answer if step.server_version >= _XP else None
    return answer


def _peek_next(step: CallStep) -> Answer:
    desc = step.desc or {}
    if desc.get("ulAction") != v.PEEK_NEXT or desc.get("hCursor") or not queue_values_fit(step):
        return None
    if step.code == v.MQ_ERROR_INVALID_PARAMETER:
        # A pending request with that id is looked for first.
        if step.rival is not None:
            return None
        if (reason := nothing_pending(step)) is not None:
            return reason
    shown = {"ulAction": "MQ_ACTION_PEEK_NEXT", "hCursor": hexadecimal(0)}
    return demanded(step, (v.STATUS_INVALID_PARAMETER,), shown)


def _lookup_values(step: CallStep) -> Answer:
    desc = step.desc
    if desc is None:
        return None
    queue, timeout, cursor = (desc.get(name, 0) for name in ("hRemoteQueue", "ulTimeout", "hCursor"))
    if queue and not timeout and not cursor:
        return None
    shown = {"hRemoteQueue": hexadecimal(queue), "ulTimeout": timeout, "hCursor": hexadecimal(cursor)}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


def _open_values(step: CallStep) -> Answer:
    queue, context = step.request.get("pQueue", 0), step.request.get("dwpContext", 0)
    if queue and context:
        return None
    shown = {"pQueue": hexadecimal(queue), "dwpContext": hexadecimal(context)}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


def _open_unequal(step: CallStep) -> Answer:
    queue, context = step.request.get("pQueue", 0), step.request.get("dwpContext", 0)
    if not queue or not context or queue == context:
        return None
    shown = {"pQueue": hexadecimal(queue), "dwpContext": hexadecimal(context)}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


def _null_handle(step: CallStep) -> Answer:
    if step.request.get("pphContext") is not None:
        return None
    return demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), {"pphContext": "null"})


def _cancel_values(step: CallStep) -> Answer:
    handle, queue = step.request.get("hQueue", 0), step.request.get("pQueue", 0)
    if queue and queue == handle:
        return None
    shown = {"hQueue": hexadecimal(handle), "pQueue": hexadecimal(queue)}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


_server = partial(Rule, document="MS-MQQP", party=Party.SERVER, level=Level.LOW, needs=BOTH)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-error-null-descriptor",
        "A start without a read descriptor got another answer than MQ_ERROR_INVALID_HANDLE",
        section="3.1.4.10",
        requirement="Where pRemoteReadDesc is null the answer is MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(v.START2,),
        check=_null_descriptor,
    ),
    _server(
        "mqqp-error-queue-values",
        "A start with queue values that do not fit got another answer than MQ_ERROR_INVALID_PARAMETER",
        section="3.1.4.1, 3.1.4.10",
        requirement="Where dwQueue is 0 or not hRemoteQueue the answer is MQ_ERROR_INVALID_PARAMETER.",
        keyword="MUST",
        operations=v.BY_POSITION,
        check=_queue_values,
        undecidable_when="the server may be Windows NT or 2000, which give a queue two numbers ([MS-MQMP] <27>)",
    ),
    _server(
        "mqqp-error-peek-next",
        "MQ_ACTION_PEEK_NEXT without a cursor got another answer than STATUS_INVALID_PARAMETER",
        section="3.1.4.1, 3.1.4.10",
        requirement="MQ_ACTION_PEEK_NEXT without a cursor is answered with STATUS_INVALID_PARAMETER.",
        keyword="MUST",
        operations=v.BY_POSITION,
        check=_peek_next,
        undecidable_when="the server may mean by its code a pending request that was missed",
    ),
    _server(
        "mqqp-error-lookup-values",
        "A read by lookup identifier with bad values got another answer than MQ_ERROR_INVALID_PARAMETER",
        section="3.1.4.11",
        requirement="Where hRemoteQueue is 0, or ulTimeout or hCursor is set, it answers MQ_ERROR_INVALID_PARAMETER.",
        keyword="MUST",
        operations=(v.BY_LOOKUP,),
        check=_lookup_values,
    ),
    _server(
        "mqqp-error-open-values",
        "An open with a value of 0 got another answer than MQ_ERROR_INVALID_PARAMETER",
        section="3.1.4.3",
        requirement="Where pQueue or dwpContext is 0 the answer is MQ_ERROR_INVALID_PARAMETER.",
        keyword="MUST",
        operations=(v.OPEN,),
        check=_open_values,
    ),
    _server(
        "mqqp-error-open-unequal",
        "An open with two different values got another answer than MQ_ERROR_INVALID_PARAMETER",
        section="3.1.4.3",
        requirement="Where pQueue is not dwpContext the answer is MQ_ERROR_INVALID_PARAMETER.",
        keyword="SHOULD",
        operations=(v.OPEN,),
        check=_open_unequal,
        exemptions=(
            Exemption("<14>", "Windows XP and older do not compare the two", lambda version: version < _SERVER_2003),
        ),
    ),
    _server(
        "mqqp-error-null-handle",
        "An end or close with a null handle got another answer than MQ_ERROR_INVALID_HANDLE",
        section="3.1.4.2, 3.1.4.4",
        requirement="RemoteQMEndReceive and RemoteQMCloseQueue answer a null handle with MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(v.END, v.CLOSE),
        check=_null_handle,
    ),
    _server(
        "mqqp-error-cancel-values",
        "A cancel with queue values that do not fit got another answer than MQ_ERROR_INVALID_PARAMETER",
        section="3.1.4.6",
        requirement="Where pQueue is 0 or not hQueue the answer is MQ_ERROR_INVALID_PARAMETER.",
        keyword="MUST",
        operations=(v.CANCEL,),
        check=_cancel_values,
        exemptions=(
            Exemption(
                "<17>",
                "Windows NT and 2000 answer MQ_ERROR_INVALID_HANDLE where one is 0",
                lambda version: version < _XP,
            ),
        ),
    ),
)
