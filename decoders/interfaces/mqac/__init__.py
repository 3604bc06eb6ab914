"""MSMQ's COM objects: [MC-MQAC]. A module for each class."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.mqac import (
    application,
    collection,
    destination,
    event,
    management,
    message,
    query,
    queue,
    queue_info,
    transaction,
)

INTERFACES: Final = (
    *query.INTERFACES,
    *message.INTERFACES,
    *queue.INTERFACES,
    *event.INTERFACES,
    *queue_info.INTERFACES,
    *transaction.INTERFACES,
    *application.INTERFACES,
    *destination.INTERFACES,
    *collection.INTERFACES,
    *management.INTERFACES,
)
"""In the order of the document's IDL."""
