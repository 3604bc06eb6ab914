"""Makes samples/msmq-loopback.pcap and samples/expected.json: `python -m samples.make_sample`, as root for tcpdump."""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import socket
import socketserver
import sys
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from samples.capture import Capture, CaptureError
from samples.endpoint_mapper import EPM, EndpointMapper
from samples.management import Management
from samples.mgmt_ndr import QMMGMT
from samples.msmq_ndr import IP_HANDSHAKE, IP_READ, QM2QM
from samples.queue_manager import QueueManager
from samples.rpc_server import RpcServer
from samples.story import ORDERS, RECEIPTS, Ports, Story, stock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from samples.client import Conversation
    from samples.ndr_base import Plain
    from samples.queues import Queue

CAPTURE = "msmq-loopback.pcap"
SERVER = "127.0.0.1"
LIMIT_S = 60
HIGHEST_OFFSET = 65535 - Ports().moved_read


class PortError(Exception):
    """A port of the story is taken or not allowed."""


EXIT_CODES = {TimeoutError: 1, CaptureError: 3, PortError: 4}


class WebHandler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(4096)
        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n")


class WebServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def refuse_taken(ports: Ports) -> None:
    """Before anything is started, so that one sentence names the port."""
    for port in ports.all():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((SERVER, port))
            except OSError as error:
                raise PortError(f"port {port} of {SERVER} cannot be used: {error.strerror}") from error


def servers(ports: Ports, manager: QueueManager) -> list[RpcServer]:
    """Annotations are invented; the moved port is known only to the endpoint mapper and to opnum 7."""
    mapper = EndpointMapper(
        SERVER,
        [
            (QM2QM, ports.read, "Message Queuing - QM2QM V1"),
            (QM2QM, ports.moved_read, "Message Queuing - QM2QM V1"),
            (QMMGMT, ports.management, "Message Queuing - QMMGMT V1"),
            (EPM, ports.epm, ""),
        ],
    )
    offered = (
        (ports.epm, {EPM: mapper.operations()}),
        (ports.management, {QMMGMT: Management([ORDERS, RECEIPTS]).operations()}),
        (ports.read, {QM2QM: manager.operations()}),
        (ports.moved_read, {QM2QM: manager.operations()}),
    )
    return [RpcServer(SERVER, port, interfaces) for port, interfaces in offered]


def make(out: Path, offset: int) -> None:
    ports = Ports().moved(offset)
    refuse_taken(ports)
    orders, receipts = stock()
    messages = [describe_message(orders, index) for index in range(len(orders.messages))]
    manager = QueueManager([orders, receipts], {IP_HANDSHAKE: ports.management, IP_READ: ports.moved_read})
    story = Story(ports, orders, receipts)
    partial = out / f"{CAPTURE}.partial"
    with ExitStack() as stack:
        stack.callback(partial.unlink, missing_ok=True)
        rpc = servers(ports, manager)
        for server in rpc:
            server.start()
            stack.callback(server.stop)
        web = stack.enter_context(WebServer((SERVER, ports.web), WebHandler))
        threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        stack.callback(web.shutdown)
        try:
            with Capture(partial, SERVER, ports.all()):
                story.tell()
        finally:
            for talk in story.told:
                talk.abandon()
        partial.replace(out / CAPTURE)
    seen: dict[tuple[str, int], Counter[str]] = {}
    for server in rpc:
        seen.update(server.pdus)
    document = {
        "capture": CAPTURE,
        "messages": messages,
        "conversations": [describe(talk, seen) for talk in story.told],
    }
    (out / "expected.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def describe(talk: Conversation, seen: Mapping[tuple[str, int], Counter[str]]) -> dict[str, Plain]:
    """The client's account of the calls, the server's count of the PDUs."""
    name, (uuid, version) = talk.interface or (None, (None, None))
    return {
        "name": talk.name,
        "client": talk.source,
        "client_port": talk.client_port,
        "server": talk.server,
        "server_port": talk.port,
        "interface": None if name is None else {"name": name, "uuid": uuid, "version": version},
        "bind": talk.bind,
        "assoc_group": talk.group or None,
        "closed": talk.closed,
        "pdus": dict(sorted(seen.get((talk.source, talk.client_port), Counter()).items())),
        "calls": list(talk.calls),
    }


def describe_message(queue: Queue, index: int) -> dict[str, Plain]:
    message = queue.messages[index]
    packet = queue.packet(message)
    return {
        "queue": queue.name,
        "label": message.label,
        "lookup_id": message.lookup_id,
        "message_id": message.number,
        "sent": message.sent,
        "body_bytes": len(message.body),
        "body_sha256": hashlib.sha256(message.body).hexdigest(),
        "packet_bytes": len(packet),
        "packet_sha256": hashlib.sha256(packet).hexdigest(),
    }


def too_long(_signal: int, _frame: object) -> None:
    raise TimeoutError(f"the story did not end within {LIMIT_S} s")


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write to")
    parser.add_argument("--port-offset", type=int, default=0, help=f"added to every port, 0 to {HIGHEST_OFFSET}")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if not 0 <= options.port_offset <= HIGHEST_OFFSET:
        parser.error(f"--port-offset must be 0 to {HIGHEST_OFFSET}")
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LIMIT_S)
    try:
        make(options.out, options.port_offset)
    except (CaptureError, PortError, TimeoutError) as error:
        print(error, file=sys.stderr)
        return EXIT_CODES[type(error)]
    return 0


if __name__ == "__main__":
    sys.exit(main())
