"""[MS-OAUT] 3.1.4.3, 3.1.4.4: how a server answers names and calls by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.com_duties import of_server
from pipelines.rules.model import BOTH, RESPONSE, Broken
from pipelines.rules.shown import code_shown, hexadecimal

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer

_DISP_E_EXCEPTION: Final = 0x8002_0009
_DISP_E_UNKNOWNNAME: Final = 0x8002_0006
_UNKNOWN: Final = -1
_NO_RESULT, _NO_EXCEPTION = 0x2_0000, 0x4_0000
"""DISPATCH_zeroVarResult and DISPATCH_zeroExcepInfo: the client wants none."""


def _exception(step: ComStep) -> Answer:
    told = step.response.get("pExcepInfo")
    if step.call.fault is not None or not told or step.request.get("dwFlags", 0) & _NO_EXCEPTION:
        return None
    raised = bool(told.get("scode") or told.get("wCode"))
    if raised == (step.code == _DISP_E_EXCEPTION):
        return True
    scode = told.get("scode", 0) & 0xFFFF_FFFF
    return Broken({"result": code_shown(step.code), "scode": hexadecimal(scode), "wCode": told.get("wCode", 0)})


def _unknown_name(step: ComStep) -> Answer:
    found = step.response.get("rgDispId")
    if step.call.fault is not None or step.code != _DISP_E_UNKNOWNNAME or not found:
        return None
    return True if _UNKNOWN in found else Broken({"rgDispId": ", ".join(map(str, found))})


def _no_result(step: ComStep) -> Answer:
    result = step.response.get("pVarResult")
    if step.call.fault is not None or not step.request.get("dwFlags", 0) & _NO_RESULT or result is None:
        return None
    return Broken({"pVarResult": result.get("type")}) if result.get("vt") else True


RULES: Final = (
    of_server(
        "oaut-exception-told",
        "An exception had no code, or a code without an exception was told",
        document="MS-OAUT",
        section="3.1.4.4",
        requirement="With DISP_E_EXCEPTION the scode or wCode says which error it was; with any other result both are "
        "0. Nothing is demanded where the client wants no EXCEPINFO.",
        operations=(v.INVOKE,),
        needs=BOTH,
        check=_exception,
    ),
    of_server(
        "oaut-unknown-name",
        "A name was unknown and every name got a number",
        document="MS-OAUT",
        section="3.1.4.3",
        requirement="DISP_E_UNKNOWNNAME comes with DISPID_UNKNOWN for each name that is not known.",
        operations=(v.GET_IDS,),
        needs=RESPONSE,
        check=_unknown_name,
    ),
    of_server(
        "oaut-no-result",
        "A result was sent to a client that wanted none",
        document="MS-OAUT",
        section="3.1.4.4",
        requirement="With DISPATCH_zeroVarResult the result is VT_EMPTY.",
        operations=(v.INVOKE,),
        needs=BOTH,
        check=_no_result,
    ),
)
