"""What clients of qm2qm do wrong, rule by rule: [MS-MQQP]."""

from __future__ import annotations

from typing import Final

from tests.conforming import shown
from tests.conforming.occasions import (
    BAD_PORT,
    BY_PLACE,
    END,
    LATE_LOOKUP,
    LOOKUP,
    NOBODY,
    NULL_DESCRIPTOR,
    OPEN,
    OTHER_QUEUE,
    PEEK_NEXT,
    START2,
    STARTS,
    besides,
    end_again,
    end_nothing,
    end_session,
    failed,
    old_start,
    other_numbers,
    pending_id,
    read_again,
    use_closed_cursor,
)
from tests.conforming.planting import Breach, answered, changed

CLIENTS: Final = (
    Breach("mqqp-descriptor-present", ask=NULL_DESCRIPTOR),
    Breach("mqqp-size-zero", ask=changed(*STARTS, values={"dwSize": 100})),
    Breach("mqqp-buffer-null", ask=changed(*STARTS, values={"buffer": "0102030405060708"})),
    Breach("mqqp-action-by-position", ask=changed(*BY_PLACE, values={"ulAction": "LOOKUP_PEEK_CURRENT"})),
    Breach("mqqp-action-by-lookup", ask=changed(LOOKUP, values={"ulAction": "PEEK_CURRENT"})),
    Breach("mqqp-peek-next-cursor", ask=PEEK_NEXT),
    Breach("mqqp-lookup-cursor-zero", ask=changed(LOOKUP, values={"hCursor": 3})),
    Breach("mqqp-lookup-timeout-zero", ask=LATE_LOOKUP),
    Breach("mqqp-lookup-id", ask=changed(LOOKUP, values={"ulAction": "LOOKUP_PEEK_CURRENT", "LookupId": 0})),
    Breach("mqqp-sequential-id-zero", ask=changed(START2, values={"SequentialId": 5})),
    Breach("mqqp-ack-value", ask=changed(END, values={"dwAck": 3})),
    Breach("mqqp-null-handle", follow=end_nothing),
    Breach("mqqp-client-id", ask=changed(OPEN, values={"pLicGuid": NOBODY})),
    Breach("mqqp-mqs-value", ask=changed(OPEN, values={"dwMQS": 17})),
    Breach("mqqp-port-type-range", ask=BAD_PORT),
    Breach("mqqp-open-before-use", follow=read_again),
    Breach("mqqp-end-known-handle", follow=end_session),
    Breach(
        "mqqp-no-end-after-failure",
        answer=answered(*STARTS, values={"pphContext": "RX9"}, where=failed),
        omit="care",
        besides=besides("mqqp-read-handle-withheld"),
    ),
    Breach("mqqp-end-once", follow=end_again),
    Breach("mqqp-request-id-unique", ask=pending_id),
    Breach("mqqp-cursor-after-close", follow=use_closed_cursor),
    Breach("mqqp-same-queue-values", ask=OTHER_QUEUE),
    Breach("mqqp-start-by-version", ask=old_start),
    Breach("mqqp-version-asked", omit="version", shows=shown.never_asked, in_view_us=600_000_000, clear=True),
    Breach("mqqp-port-followed", omit="port"),
    Breach("mqqp-receive-completed", omit="end"),
    Breach("mqqp-queue-closed", omit="close"),
    Breach("mqqp-cursor-closed", omit="cursor", shows=shown.cursor_left),
    Breach("mqqp-open-numbers", ask=other_numbers),
)
