"""[MS-MQMP], the server: where Windows NT and 2000 work in another way than the later ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import RESPONSE, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_XP: Final = (5, 1, 0)
_SERVER_2003: Final = (5, 2, 0)
_STATUS_RETRY: Final = 0xC000_022D
_RPC_S_ACCESS_DENIED: Final = 5
_OLDER_ANSWERS: Final = {v.AC_SEND: _STATUS_RETRY, v.AC_CREATE_CURSOR: v.MQ_INFORMATION_REMOTE_OPERATION}
_OLDER_METHODS: Final = (v.REMOTE_NAME, v.AC_SET_CURSOR, v.QM_SEND)
_OF_CURSORS: Final = (v.REMOTE_NAME, v.AC_SET_CURSOR)
_REFUSALS: Final = (v.MQ_ERROR_ILLEGAL_OPERATION, _RPC_S_ACCESS_DENIED)


def _remote_open_values(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    names = ("pdwContext", "phQueue")
    context, queue = (step.response.get(name, 0) for name in names)
    return context == queue or Broken({name: hexadecimal(step.response.get(name, 0)) for name in names})


def _obsolete(step: CallStep) -> Answer:
    operation, version = step.call.method, step.server_version
    if operation in _OLDER_ANSWERS:
        if step.code != _OLDER_ANSWERS[operation]:
            return True if step.succeeded else None
    elif not step.succeeded:
        return True if step.code in _REFUSALS else None
    if version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    if operation in _OLDER_ANSWERS:
        # One sentence permits the answer, the next advises against it.
        first = _SERVER_2003 if operation == v.AC_CREATE_CURSOR else _XP
        return None if version < first else Reason.TEXTS_CONTRADICT
    if version < _XP:
        return None
    if version < _SERVER_2003 and operation in _OF_CURSORS:
        # By note <76> Windows XP makes cursors in steps, by note <11> and note <55> it lacks the methods for them.
        return Reason.TEXTS_CONTRADICT
    return Broken({"answer": code_shown(step.code)})


_server = partial(
    Rule,
    document="MS-MQMP",
    keyword="SHOULD",
    party=Party.SERVER,
    level=Level.INFORMATIONAL,
    needs=RESPONSE,
)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqmp-remote-open-values",
        "The context and the queue of a remote open differ",
        section="3.1.4.2",
        requirement="pdwContext and phQueue are one number. dwpQueue may be another: it is in Windows NT and 2000 "
        "(notes <27> to <28>).",
        operations=(v.OPEN_REMOTE,),
        check=_remote_open_values,
        undecidable_when="its answer was not captured",
    ),
    _server(
        "mqmp-obsolete",
        "The server works in the way of Windows 2000",
        section="3.1.4.1, 3.1.4.20, 3.1.5.1, 3.1.5.4",
        requirement="Methods for cursors in several steps and for a second send are refused; Windows NT and 2000 have "
        "them (notes <11> to <14>, notes <55> to <56>, note <68>), and up to Windows XP a remote cursor is made in "
        "steps (note <76>).",
        operations=(*_OLDER_METHODS, *_OLDER_ANSWERS),
        check=_obsolete,
        undecidable_when="the server's version was not seen; it sends the client to these methods, which the document "
        "permits and advises against; or it is Windows XP, of which the notes contradict each other",
    ),
)
