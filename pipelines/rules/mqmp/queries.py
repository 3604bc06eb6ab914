"""[MS-MQMP]: questions about the server and its port, and operations that are not for the wire."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.versions import AS_WRITTEN, version_in
from pipelines.rules.model import BOTH, OPERATION, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqmp.wrong import kept_unless
from pipelines.rules.ports import DEFAULT_PORTS, may_be_announced, port_query_unrestricted

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep

_RESERVED: Final = frozenset((0, 5, 13, 21, 24, 25, 29, 30, 32, 33, 34))
_QUESTIONS: Final = {v.QUERY_REGISTRY: ("dwQueryType", range(5)), v.RT_PORT: ("fIP", range(4))}
_GUID: Final = re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
"""The document writes of braces and of none."""
_WITH_COMMAS: Final = re.compile(r"\d+(,\d+)+", re.ASCII)
_LIST: Final = re.compile(r"(?:[0-9A-Za-z!@#$%^&')(._{}~,-]|[^\x00-\x7f])*")
"""Of computers. How long a name may be, and letters beyond ASCII, are not judged: there are such computers."""
_FORMS: Final = {0: _LIST, 1: re.compile(r"\d+", re.ASCII), 2: _GUID, 3: AS_WRITTEN, 4: _GUID}
"""By dwQueryType."""
_OF_OLDER: Final = {3: (_GUID,), 4: (AS_WRITTEN, _WITH_COMMAS)}
"""What is known of Windows 2000 has 3 and 4 the other way round."""
_SERVERS_ASKED, _VERSION_ASKED = 0, 3
_FIRST_AS_WRITTEN: Final = (5, 1, 0)


def wrong_question(step: CallStep) -> Wrong:
    name, known = _QUESTIONS[step.call.method]
    asked = step.request.get(name, 0)
    return None if asked in known else {name: asked}


def wrong_name_buffer(step: CallStep) -> Wrong:
    room, told = step.request.get("dwFormatNameRPCBufferLen", 0), step.request.get("pdwLength", 0)
    if room != told:
        return {"dwFormatNameRPCBufferLen": room, "pdwLength": told}
    missing = room and step.request.get("lpwcsFormatName") is None
    return {"dwFormatNameRPCBufferLen": room, "lpwcsFormatName": "null"} if missing else None


def _opnum_reserved(step: CallStep) -> Answer:
    if step.call.endpoint != "qmcomm" or step.call.opnum is None:
        return None
    return step.call.opnum not in _RESERVED or Broken({"opnum": step.call.opnum})


def _registry_answer(step: CallStep) -> Answer:
    kind = step.request.get("dwQueryType", 0)
    form = _FORMS.get(kind)
    if form is None or not step.succeeded:
        return None
    text = step.response.get("lplpMQISServer")
    if text is None:
        # A server that knows of no others has none to tell.
        return None if kind == _SERVERS_ASKED else Broken({"dwQueryType": kind, "lplpMQISServer": "null"})
    if form.fullmatch(text):
        return True
    if kind == _VERSION_ASKED and version_in(text) is not None:
        # Products since Windows 10 have more to say than the document's form has room for.
        return Reason.TEXTS_CONTRADICT
    if any(other.fullmatch(text) for other in _OF_OLDER.get(kind, ())):
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        if step.server_version < _FIRST_AS_WRITTEN:
            return None
    return Broken({"dwQueryType": kind, "lplpMQISServer": text})


def _port_answer(step: CallStep) -> Answer:
    kind, port = step.request.get("fIP", 0), step.response.get("return_value")
    if port is None:
        return None
    if kind in range(len(DEFAULT_PORTS)):
        return may_be_announced(port, DEFAULT_PORTS[kind]) or Broken({"fIP": kind, "return_value": port})
    return port == 0 or Broken({"fIP": kind, "return_value": port})


_client = partial(Rule, document="MS-MQMP", party=Party.CLIENT, level=Level.LOW)
_server = partial(Rule, document="MS-MQMP", party=Party.SERVER, level=Level.LOW, needs=BOTH)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-query-known",
        "Something was asked for that there is not",
        section="3.1.4.23, 3.1.4.24",
        requirement="dwQueryType is 0 to 4, fIP 0 to 3.",
        keyword="MUST",
        operations=tuple(_QUESTIONS),
        needs=REQUEST,
        check=kept_unless(wrong_question),
    ),
    _client(
        "mqmp-format-name-buffer",
        "A format name was asked for with lengths that do not fit",
        section="3.1.4.21, 3.2.4.14",
        requirement="pdwLength is dwFormatNameRPCBufferLen, and a length other than 0 comes with a buffer.",
        keyword="MUST",
        operations=(v.AC_NAME,),
        needs=REQUEST,
        check=kept_unless(wrong_name_buffer),
    ),
    _client(
        "mqmp-opnum-reserved",
        "An operation kept for local use was called",
        section="3.1.4",
        requirement="Eleven operations of qmcomm are never sent: seven are used inside one machine, the others not at "
        "all (note <10>).",
        keyword="MUST NOT",
        level=Level.MEDIUM,
        needs=OPERATION,
        check=_opnum_reserved,
    ),
    _server(
        "mqmp-registry-answer",
        "A text about the server has another form than its kind",
        section="3.1.4.23",
        requirement="A list of servers has commas and what computer names are made of. The time to reach a queue is a "
        "number, forest and queue manager are GUIDs, the version is three numbers with dots.",
        keyword="MUST",
        operations=(v.QUERY_REGISTRY,),
        check=_registry_answer,
        undecidable_when="version and GUID are mixed up and the server's version was not seen: older ones do so; or "
        "the build has five digits, as that of newer products, where the document has room for four",
    ),
    _server(
        "mqmp-port-answer",
        "The port that the server tells is none that it can have",
        section="3.1.4.24",
        requirement="The answer is 0 or a port: 2103 or 2105 by fIP, moved up by elevens where that is taken; 0 for "
        "SPX from Windows XP on (notes <65> to <66>), and for an fIP that there is not.",
        keyword="SHOULD",
        operations=(v.RT_PORT,),
        check=_port_answer,
    ),
    _server(
        "mqmp-port-query-unrestricted",
        "The query for the port was refused",
        section="3.1.4.24",
        requirement="Access to R_QMGetRTQMServerPort is not restricted: clients ask before they authenticate.",
        keyword="MUST NOT",
        operations=(v.RT_PORT,),
        needs=OPERATION,
        check=port_query_unrestricted,
        undecidable_when="it is refused and bytes of the connection are missing: it may have been authenticated",
    ),
)
