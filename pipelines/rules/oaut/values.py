"""[MS-OAUT] 2.2.23.1, 2.2.30.10: texts and arrays that say things of themselves."""

from __future__ import annotations

from typing import Final

from pipelines.rules.com_duties import of_client, of_server, well_formed
from pipelines.rules.model import REQUEST, RESPONSE

_TEXT: Final = "clSize of a BSTR is half of cBytes, rounded up; of a null BSTR it is 0."
_ARRAY: Final = "A SAFEARRAY has dimensions, and its sfType, its features and the type of its elements agree."

RULES: Final = (
    of_client(
        "oaut-text-size",
        "A client sent a text whose two lengths disagree",
        document="MS-OAUT",
        section="2.2.23.1",
        requirement=_TEXT,
        needs=REQUEST,
        check=well_formed("bstr", given=False),
    ),
    of_server(
        "oaut-answer-text-size",
        "A server sent a text whose two lengths disagree",
        document="MS-OAUT",
        section="2.2.23.1",
        requirement=_TEXT,
        needs=RESPONSE,
        check=well_formed("bstr", given=True),
    ),
    of_client(
        "oaut-array-elements",
        "A client sent an array that contradicts itself about its elements",
        document="MS-OAUT",
        section="2.2.30.10",
        requirement=_ARRAY,
        needs=REQUEST,
        check=well_formed("safearray", given=False),
    ),
    of_server(
        "oaut-answer-array-elements",
        "A server sent an array that contradicts itself about its elements",
        document="MS-OAUT",
        section="2.2.30.10",
        requirement=_ARRAY,
        needs=RESPONSE,
        check=well_formed("safearray", given=True),
    ),
)
