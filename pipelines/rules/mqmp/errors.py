"""[MS-MQMP], the server: calls whose arguments cannot be right fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqmp.messages import wrong_priority
from pipelines.rules.mqmp.objects import wrong_object, wrong_security
from pipelines.rules.mqmp.openings import wrong_mode, wrong_queue
from pipelines.rules.mqmp.properties import no_properties
from pipelines.rules.mqmp.queries import wrong_name_buffer, wrong_question
from pipelines.rules.mqmp.transfers import no_transfer
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import Method
    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Finder, Wrong
    from pipelines.sessions.steps import CallStep

_MOST_WHEREABOUTS: Final = 131_072
_MQ_ERROR_QUEUE_EXISTS: Final = 0xC00E_0005


def _wrong_whereabouts(step: CallStep) -> Wrong:
    room = step.request.get("cbBufSize", 0)
    return None if room <= _MOST_WHEREABOUTS else {"cbBufSize": room}


_FINDERS: Final[Mapping[Method, tuple[Finder, ...]]] = {
    v.OPEN_REMOTE: (wrong_mode, wrong_queue),
    v.QM_OPEN: (wrong_mode, wrong_queue),
    v.CREATE_OBJECT: (no_properties, wrong_security),
    v.SET_SECURITY: (wrong_object, wrong_security),
    v.GET_SECURITY: (wrong_object, wrong_security),
    v.DELETE_OBJECT: (wrong_object,),
    v.GET_PROPERTIES: (wrong_object, no_properties),
    v.SET_PROPERTIES: (wrong_object, no_properties),
    v.PATH_TO_FORMAT: (wrong_object,),
    v.WHEREABOUTS: (_wrong_whereabouts,),
    v.AC_NAME: (wrong_name_buffer,),
    v.QUERY_REGISTRY: (wrong_question,),
    v.QM_SEND: (wrong_queue, no_transfer, wrong_priority),
    v.AC_SEND: (no_transfer, wrong_priority),
    v.AC_RECEIVE: (no_transfer,),
}
"""Other arguments are left out that servers can do without: who the client is, lengths, what security needs."""


def _bad_arguments_fail(step: CallStep) -> Answer:
    if step.call.fault is not None:
        return None
    found = (find(step) for find in _FINDERS[step.call.method])
    wrong = next((one for one in found if one is not None), None)
    if wrong is None:
        return None
    exists = step.call.method == v.CREATE_OBJECT and step.code == _MQ_ERROR_QUEUE_EXISTS
    if step.failed and not exists:
        return True
    return Broken({**wrong, "return_value": code_shown(step.code)}) if step.succeeded or exists else None


RULES: Final = (
    Rule(
        "mqmp-bad-arguments-fail",
        "A call with bad arguments succeeded",
        "MS-MQMP",
        "3.1.4.2, 3.1.4.5, 3.1.4.6, 3.1.4.7, 3.1.4.8, 3.1.4.9, 3.1.4.10, 3.1.4.11, 3.1.4.12, 3.1.4.14, 3.1.4.17, "
        "3.1.4.21, 3.1.4.23, 3.1.5.1, 3.1.5.2, 3.1.5.3",
        "Arguments that are not as the method demands get a failure HRESULT; of a queue to be created another one than "
        "MQ_ERROR_QUEUE_EXISTS.",
        "MUST",
        Party.SERVER,
        Level.LOW,
        operations=tuple(_FINDERS),
        needs=BOTH,
        check=_bad_arguments_fail,
    ),
)
