"""[MS-DCOM] 2.2.18, 3.1.2.5.1.6: references to objects, and where a resolver is reached."""

from __future__ import annotations

from typing import Final

from pipelines.facts import vocabulary as v
from pipelines.rules.com_duties import of_client, of_server, well_formed
from pipelines.rules.model import BOTH, REQUEST, RESPONSE

_FORM: Final = "An OBJREF begins with MEOW, has one of four forms, and names an interface."

RULES: Final = (
    of_client(
        "dcom-reference-form",
        "A client sent a reference that is none",
        document="MS-DCOM",
        section="2.2.18",
        requirement=_FORM,
        needs=REQUEST,
        check=well_formed("objref", given=False),
    ),
    of_server(
        "dcom-answer-reference-form",
        "A server sent a reference that is none",
        document="MS-DCOM",
        section="2.2.18",
        requirement=_FORM,
        needs=RESPONSE,
        check=well_formed("objref", given=True),
    ),
    of_server(
        "dcom-reference-interface",
        "A reference was given for another interface than was asked for",
        document="MS-DCOM",
        section="2.2.18",
        requirement="A reference names the interface that its parameter is declared with, or that the client asked "
        "for where the declaration leaves it open.",
        operations=(*v.BLOB_ACTIVATIONS, v.OF_FACTORY, v.GET_TYPE_INFO),
        needs=BOTH,
        check=well_formed("iid", given=True),
    ),
    of_server(
        "dcom-resolver-bindings",
        "An object resolver told endpoints of itself",
        document="MS-DCOM",
        section="3.1.2.5.1.6",
        requirement="The bindings of an object resolver that ServerAlive2 tells name hosts without endpoints.",
        keyword="MUST NOT",
        operations=(v.SERVER_ALIVE2,),
        needs=RESPONSE,
        check=well_formed("bindings", given=True),
    ),
)
