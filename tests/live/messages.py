"""The queue that the stories are about, and the messages in it."""

from __future__ import annotations

import random
import uuid
from typing import Final

from samples.user_message import Message

SENDER: Final = uuid.UUID("6f1d3c52-8a47-4e0b-9c35-2b7e90d4a118")
QUEUE: Final = r"OS:hq-mq01\private$\orders"
LARGE_BODY_BYTES: Final = 300_000


def message(label: str, body: bytes) -> bytes:
    return Message(0x1401, label, body, 1794798020, 0x0800_0000_0000_4201).packet(SENDER, QUEUE)


SMALL = message("order-1001", b"<order id='1001' total='12.50'/>")
ODD = message("order-1002", bytes(range(256)) * 3)[:-3]
"""A size that is no multiple of 4: what follows it stands behind a gap."""
LARGE = message("order-1003", random.Random(4711).randbytes(LARGE_BODY_BYTES))
