"""[MS-DCOM] 2.2.22, 3.1.2.5.2.3: what an activation has to say, and its answer."""

from __future__ import annotations

from typing import Final

from pipelines.facts import vocabulary as v
from pipelines.rules.com_duties import of_client, of_server, well_formed
from pipelines.rules.model import REQUEST, RESPONSE

_METHODS: Final = "3.1.2.5.2.3.2, 3.1.2.5.2.3.3"

RULES: Final = (
    of_client(
        "dcom-activation-properties",
        "An activation lacked a property that it must have",
        document="MS-DCOM",
        section=_METHODS,
        requirement="An activation has the properties InstantiationInfo, ScmRequestInfo and ServerLocationInfo.",
        operations=v.BLOB_ACTIVATIONS,
        needs=REQUEST,
        check=well_formed("properties", given=False),
    ),
    of_server(
        "dcom-activation-answer-properties",
        "The answer to an activation lacked a property that it must have",
        document="MS-DCOM",
        section=_METHODS,
        requirement="The answer to an activation that succeeds has the properties ScmReplyInfo and PropsOutInfo.",
        operations=v.BLOB_ACTIVATIONS,
        needs=RESPONSE,
        check=well_formed("properties", given=True),
    ),
    of_client(
        "dcom-activation-sizes",
        "The sizes of an activation's properties did not add up",
        document="MS-DCOM",
        section="2.2.22.1",
        requirement="An activation has 1 to 10 properties, and totalSize is the sum of header and properties.",
        operations=v.BLOB_ACTIVATIONS,
        needs=REQUEST,
        check=well_formed("blob", given=False),
    ),
    of_server(
        "dcom-activation-answer-sizes",
        "The sizes of the properties in an activation's answer did not add up",
        document="MS-DCOM",
        section="2.2.22.1",
        requirement="The answer has 1 to 10 properties, and totalSize is the sum of header and properties.",
        operations=v.BLOB_ACTIVATIONS,
        needs=RESPONSE,
        check=well_formed("blob", given=True),
    ),
    of_server(
        "dcom-activation-results",
        "An activation answered with an interface and an error, or with neither",
        document="MS-DCOM",
        section="2.2.22.2.9",
        requirement="Each interface asked for has a reference where its result is 0, and none where it failed.",
        operations=v.BLOB_ACTIVATIONS,
        needs=RESPONSE,
        check=well_formed("results", given=True),
    ),
)
