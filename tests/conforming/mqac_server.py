"""MSMQ's classes at a queue manager: [MC-MQAC] 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.com_resolver import Activator, Resolver
from tests.conforming.com_server import ComServer
from tests.conforming.mapper import PORT
from tests.conforming.mqac_application import Application
from tests.conforming.mqac_blank_queue import BlankQueue
from tests.conforming.mqac_destination import Destination
from tests.conforming.mqac_event import Event
from tests.conforming.mqac_management import Management
from tests.conforming.mqac_message import MessageObject
from tests.conforming.mqac_query import Collection, Query, Results
from tests.conforming.mqac_queue_info import QueueInfo
from tests.conforming.mqac_transaction import Dispenser, TransactionObject

if TYPE_CHECKING:
    from tests.conforming.com_resolver import Made
    from tests.conforming.management import QmmgmtServer
    from tests.conforming.queue_manager import QueueManager

_PORTS: Final = (49_700, 49_664 + 77)
_SINCE_3: Final = 3
"""Which MSMQ has MSMQDestination and MSMQManagement."""


def offer(manager: QueueManager, management: QmmgmtServer, others: list[QueueManager]) -> ComServer:
    server = ComServer(manager, manager.world.one_of(_PORTS))
    server.others = others
    server.described = lambda queue: QueueInfo(server, queue)
    classes: dict[str, Made] = {
        "MSMQQueueInfo": lambda: QueueInfo(server),
        "MSMQMessage": lambda: MessageObject(server),
        "MSMQTransactionDispenser": lambda: Dispenser(server),
        "MSMQTransaction": lambda: TransactionObject(None),
        "MSMQCoordinatedTransactionDispenser": lambda: Dispenser(server, internal=False),
        "MSMQEvent": lambda: Event(server),
        "MSMQQuery": lambda: Query(server),
        "MSMQQueueInfos": lambda: Results(server),
        "MSMQQueue": BlankQueue,
    }
    if server.revision >= _SINCE_3:
        classes |= {
            "MSMQDestination": lambda: Destination(server),
            "MSMQManagement": lambda: Management(server, management),
            "MSMQCollection": Collection,
            "MSMQApplication": lambda: Application(server, management),
        }
    manager.offer(PORT, Activator(server, classes), Resolver(server))
    manager.offer(server.port, server)
    return server
