"""hosts: what the traffic proves of each address."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove

ROLES = {
    "supporting_server": "Opens, reads and sends for applications: rpc_QMOpenQueueInternal, or qmcomm2.",
    "queue_server": "Serves qm2qm or RemoteRead, or qmcomm for remote opens: others read its queues.",
    "management_server": "Serves qmmgmt.",
    "directory_server": "Serves dscomm or dscomm2.",
    "object_server": "Serves MSMQ's COM objects: scripts of others open, read and change queues through it.",
    "endpoint_mapper": "Serves the endpoint mapper.",
    "remote_reader": "Calls qm2qm or RemoteRead: a queue manager that reads queues of others.",
    "application": "Calls qmcomm or qmcomm2.",
    "dependent_client": "Opens queues through a supporting server, and was seen to serve and to read nothing itself.",
    "management_client": "Calls qmmgmt.",
    "object_client": "Calls MSMQ's COM objects.",
    "directory_client": "Calls dscomm or dscomm2.",
}

_NAME = pa.struct([pa.field("name", STRING), pa.field("told_by", STRING)])

HOSTS = Table(
    "hosts",
    "One address that serves or calls an interface of message queuing, with what the traffic proves of it.",
    (
        Column("address", STRING, "Address.", required=True),
        Column("roles", pa.list_(STRING), "What it does; the names stand below.", required=True),
        Column("serves", pa.list_(STRING), "Interfaces on which it answered.", required=True),
        Column("called", pa.list_(STRING), "Interfaces that it called.", required=True),
        Column("queue_managers", pa.list_(STRING), "GUIDs of queue managers seen at it: mostly one.", required=True),
        Column(
            "computer_names",
            pa.list_(_NAME),
            "Computer names, with what told them: `format_name` and `path_name` of its queues, `client_name` of "
            "rpc_QMOpenQueueInternal, `ntlm`.",
            required=True,
        ),
        Column("versions", pa.list_(STRING), "Versions that it said it has; more than one contradict.", required=True),
        Column("first_seen", TIMESTAMP, "First sign of it."),
        Column("last_seen", TIMESTAMP, "Last sign of it."),
    ),
    key=("address",),
    relations=(NotAbove("first_seen", "last_seen"),),
)
