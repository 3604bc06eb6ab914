"""What clients and servers of qmmgmt do wrong, rule by rule: [MS-MQMR]."""

from __future__ import annotations

from typing import Final

from tests.conforming import shown
from tests.conforming.occasions import ACTION, INFO, ODD_STATUS, WIN32, besides, failed, succeeded
from tests.conforming.planting import Breach, answered, changed

MANAGEMENT: Final = (
    Breach(
        "mqmr-answer-consistent",
        ask=changed(INFO, values={"aProp": "[4, 11]"}, where=lambda draft: "queue" in draft.values),
        answer=answered(INFO, values={"apVar": '["LOCAL", "ONHOLD"]'}, where=succeeded),
    ),
    Breach("mqmr-administrator", omit="rights", shows=shown.administered),
    Breach("mqmr-ndr-only", omit="ndr", clear=True),
    Breach("mqmr-status-kind", answer=answered(INFO, ACTION, values={"status": ODD_STATUS}, where=succeeded)),
    Breach("mqmr-object-type", ask=changed(INFO, values={"type": 7}, where=lambda draft: "queue" not in draft.values)),
    Breach("mqmr-action-known", ask=changed(ACTION, values={"lpwszAction": '"FROB"'})),
    Breach("mqmr-no-faults", answer=answered(INFO, ACTION, values={"fault": "MQ_ERROR"}, where=failed)),
    Breach(
        "mqmr-session-fails",
        ask=changed(INFO, values={"type": 3, "aProp": "[1]"}, where=lambda draft: "queue" not in draft.values),
        answer=answered(INFO, values={"status": 0}),
    ),
    Breach(
        "mqmr-unknown-action-fails",
        ask=changed(ACTION, values={"lpwszAction": '"FROB"'}),
        answer=answered(ACTION, values={"status": 0}),
        besides=besides("mqmr-action-known"),
    ),
    Breach("mqmr-count-range", ask=changed(INFO, values={"cp": 0})),
    Breach("mqmr-arrays-equal", ask=changed(INFO, values={"cp": 9})),
    Breach("mqmr-property-known", ask=changed(INFO, values={"aProp": "[99]"})),
    Breach("mqmr-variants-null", ask=changed(INFO, values={"aProp": "[1]", "vt": "[31]", "apVar": '["x"]'})),
    Breach(
        "mqmr-nothing-on-failure",
        answer=answered(
            INFO,
            values={"apVar": '["x"]', "vt": "[31]"},
            where=lambda call, reply: failed(call, reply) and reply["status"] != WIN32,
        ),
    ),
    Breach(
        "mqmr-answer-type",
        ask=changed(INFO, values={"aProp": "[4]"}),
        answer=answered(INFO, values={"apVar": "[7]", "vt": "[19]"}, where=succeeded),
    ),
    Breach(
        "mqmr-answer-text",
        ask=changed(INFO, values={"aProp": "[4]"}),
        answer=answered(INFO, values={"apVar": '["NOWHERE"]'}, where=succeeded),
    ),
)
