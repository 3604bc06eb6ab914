"""What happens in the sample: a branch office reads its orders; someone else looks around, takes one and purges."""

from __future__ import annotations

import socket
import threading
import uuid
from dataclasses import dataclass

from samples import mgmt_ndr, msmq_ndr
from samples.calls import (
    act,
    ask_port,
    cancel_receive,
    close_queue,
    describe,
    end_receive,
    get_info,
    open_queue,
    purge_queue,
    start_receive,
    start_receive2,
    start_receive_by_lookup_id,
)
from samples.client import Conversation
from samples.endpoint_mapper import EPM, ept_lookup_handle_free, lookup_request, map_request
from samples.msmq_ndr import QM2QM
from samples.queues import INFINITE, Queue
from samples.user_message import VT_LPWSTR, Message

READER, INTRUDER = "127.0.0.1", "127.0.0.2"
READER_QM = uuid.UUID("b7c0a5d4-53c1-4f7e-8a6f-0d2e4c9b1a70")
INTRUDER_QM = uuid.UUID("00c0ffee-1e1e-4bad-9bad-c0de0badf00d")
SENDER_QM = uuid.UUID("6f1d3c52-8a47-4e0b-9c35-2b7e90d4a118")
NOT_REGISTERED = ("5ca1ab1e-0000-4000-8000-00000000beef", "1.0")
NO_SUCH_OPNUM = 11
SENT = 1794798000

ORDERS = r"OS:hq-mq01\private$\orders"
RECEIPTS = r"OS:hq-mq01\private$\receipts"


@dataclass(frozen=True)
class Ports:
    epm: int = 135
    management: int = 2103
    read: int = 2105
    moved_read: int = 49664
    web: int = 8080

    def moved(self, offset: int) -> Ports:
        return Ports(*(port + offset for port in self.all()))

    def all(self) -> tuple[int, ...]:
        return (self.epm, self.management, self.read, self.moved_read, self.web)


def stock() -> tuple[Queue, Queue]:
    """Orders of different sizes, an empty queue beside them."""
    bodies = [
        (b"<order id='1001' total='12.50'/>", 0),
        ("Order 1002: two pallets, dock 4".encode("utf-16-le"), VT_LPWSTR),
        (b"".join(b"%06d;item-%04d;qty=%02d\r\n" % (n, n * 7 % 9973, n % 37) for n in range(800)), 0),
        (b"", 0),
        (bytes(range(256)) * 3 + b"\x00\x01\x02", 0),
        (b"<order id='1006' total='99.95'/>", 0),
        (b"<order id='1007' total='4711.00'/>", 0),
        (b"<order id='1008' total='8.15'/>", 0),
    ]
    orders = Queue(ORDERS, 0x01F4A310, SENDER_QM)
    for number, (body, kind) in enumerate(bodies, 1):
        orders.messages.append(
            Message(
                0x1400 + number,
                f"order-{1000 + number}",
                body,
                SENT + 20 * number,
                0x0800_0000_0000_4200 + number,
                kind,
            )
        )
    return orders, Queue(RECEIPTS, 0x01F4A3C8, SENDER_QM)


class Story:
    """Conversations in order; one of them stays open until the capture has ended."""

    def __init__(self, ports: Ports, orders: Queue, receipts: Queue) -> None:
        self.ports = ports
        self.orders = orders
        self.receipts = receipts
        self.told: list[Conversation] = []

    def tell(self) -> None:
        self.find_endpoints()
        self.ask_for_port()
        self.read_remotely()
        self.look_around()
        self.manage()
        self.try_unknown_interface()
        self.fetch_page()
        self.take_and_purge()
        self.leave_open()

    def begin(
        self, name: str, source: str, port: int, interface: str, syntax: tuple[str, str], group: int = 0
    ) -> Conversation:
        conversation = Conversation(name, source, port, group=group)
        self.told.append(conversation)
        conversation.open(interface, syntax)
        return conversation

    def find_endpoints(self) -> None:
        talk = self.begin("find-endpoints", READER, self.ports.epm, "epm", EPM)
        talk.call(map_request(QM2QM, 4))
        some = talk.call(lookup_request(2))
        release = ept_lookup_handle_free()
        release["entry_handle"] = some["entry_handle"]
        talk.call(release)
        talk.close()

    def ask_for_port(self) -> None:
        """[MS-MQQP] 3.2.4.1: a first binding only to learn the port, then a new one."""
        talk = self.begin("ask-for-port", READER, self.ports.read, "qm2qm", QM2QM)
        ask_port(talk, msmq_ndr.IP_READ)
        ask_port(talk, msmq_ndr.IP_HANDSHAKE)
        talk.close()

    def read_remotely(self) -> None:
        talk = self.begin("remote-read", READER, self.ports.moved_read, "qm2qm", QM2QM)
        talk.call(msmq_ndr.RemoteQmGetVersion())
        orders = open_queue(talk, self.orders, READER_QM)
        receipts = open_queue(talk, self.receipts, READER_QM)
        start_receive(talk, describe(self.orders, msmq_ndr.MQ_ACTION_PEEK_CURRENT, 1))
        for request_id, acknowledgement in (
            (2, msmq_ndr.RR_ACK),
            (3, msmq_ndr.RR_NACK),
            (4, msmq_ndr.RR_ACK),
            (5, msmq_ndr.RR_ACK),
        ):
            read = start_receive(talk, describe(self.orders, msmq_ndr.MQ_ACTION_RECEIVE, request_id, 1000))
            end_receive(talk, read, acknowledgement)
        start_receive2(talk, describe(self.orders, msmq_ndr.MQ_ACTION_PEEK_CURRENT, 6))
        end_receive(talk, start_receive2(talk, describe(self.orders, msmq_ndr.MQ_ACTION_RECEIVE, 7)), msmq_ndr.RR_ACK)
        start_receive(talk, describe(self.receipts, msmq_ndr.MQ_ACTION_RECEIVE, 8, 200))
        self.cancel_waiting_read(talk, 9)
        for handle in (receipts, orders):
            close_queue(talk, handle)
        talk.close()

    def cancel_waiting_read(self, talk: Conversation, request_id: int) -> None:
        """On a second connection of the association: the first one is busy with the call that waits."""
        waiting = describe(self.receipts, msmq_ndr.MQ_ACTION_RECEIVE, request_id, INFINITE)
        reader = threading.Thread(target=start_receive, args=(talk, waiting))
        reader.start()
        self.receipts.await_reader(request_id)
        second = self.begin("cancel", READER, self.ports.moved_read, "qm2qm", QM2QM, talk.group)
        cancel_receive(second, self.receipts, request_id)
        reader.join()
        second.close()

    def look_around(self) -> None:
        talk = self.begin("look-around", INTRUDER, self.ports.epm, "epm", EPM)
        some = talk.call(lookup_request(3))
        more = lookup_request(3)
        more["entry_handle"] = some["entry_handle"]
        talk.call(more)
        talk.call(map_request(mgmt_ndr.QMMGMT, 4))
        talk.call(map_request(NOT_REGISTERED, 4))
        talk.close()

    def manage(self) -> None:
        talk = self.begin("manage", INTRUDER, self.ports.management, "qmmgmt", mgmt_ndr.QMMGMT)
        get_info(talk, mgmt_ndr.machine(), [1, 2, 3, 4, 5, 6])
        get_info(talk, mgmt_ndr.direct_queue(ORDERS), [2, 3, 7, 8, 11, 12, 13, 14, 24])
        get_info(talk, mgmt_ndr.machine(), [4, 27])
        act(talk, mgmt_ndr.direct_queue(ORDERS), "PAUSE")
        act(talk, mgmt_ndr.direct_queue(ORDERS), "RESUME")
        act(talk, mgmt_ndr.machine(), "SHUTDOWN")
        talk.close()

    def try_unknown_interface(self) -> None:
        self.begin("unknown-interface", INTRUDER, self.ports.management, "unknown", NOT_REGISTERED).close()

    def fetch_page(self) -> None:
        """Not RPC at all."""
        talk = Conversation("web", INTRUDER, self.ports.web)
        self.told.append(talk)
        with socket.create_connection((talk.server, talk.port), timeout=5, source_address=(INTRUDER, 0)) as link:
            talk.client_port = link.getsockname()[1]
            link.sendall(b"GET /status HTTP/1.1\r\nHost: hq-mq01\r\nConnection: close\r\n\r\n")
            while link.recv(4096):
                pass
        talk.closed = True

    def take_and_purge(self) -> None:
        talk = self.begin("take-and-purge", INTRUDER, self.ports.read, "qm2qm", QM2QM)
        talk.call(msmq_ndr.RemoteQmGetVersion())
        handle = open_queue(talk, self.orders, INTRUDER_QM)
        wanted = self.orders.messages[-1].lookup_id
        peek, take = msmq_ndr.MQ_LOOKUP_PEEK_CURRENT, msmq_ndr.MQ_LOOKUP_RECEIVE_CURRENT
        start_receive_by_lookup_id(talk, wanted, describe(self.orders, peek, 1))
        end_receive(talk, start_receive_by_lookup_id(talk, wanted, describe(self.orders, take, 2)), msmq_ndr.RR_ACK)
        start_receive_by_lookup_id(talk, wanted, describe(self.orders, peek, 3))
        talk.call_unknown(NO_SUCH_OPNUM)
        purge_queue(talk, self.orders)
        close_queue(talk, handle)
        talk.close()

    def leave_open(self) -> None:
        talk = self.begin("left-open", INTRUDER, self.ports.moved_read, "qm2qm", QM2QM)
        open_queue(talk, self.receipts, INTRUDER_QM)
        start_receive(talk, describe(self.receipts, msmq_ndr.MQ_ACTION_PEEK_CURRENT, 1))
