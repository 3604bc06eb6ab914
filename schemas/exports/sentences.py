"""What an event says in a line of a timeline; `?` stands for what was not seen."""

from __future__ import annotations

from typing import Any, Final

from schemas.exports.converters import endpoint_name, operation_name, result

NOT_SEEN: Final = "?"
CALL_COLUMNS: Final = (
    *("id.orig_h", "id.resp_h", "id.resp_p", "endpoint", "interface_uuid", "operation", "opnum", "outcome"),
    *("status_name", "status", "fault_name", "fault"),
)


def call_told(*values: Any) -> str:  # noqa: ANN401 - columns of any type, in the order of the declaration
    """Interface, operation, client, server and result, or else the outcome."""
    client, server, port, endpoint, uuid, operation, opnum, outcome, *answer = values
    what = f"{endpoint_name(endpoint, uuid) or NOT_SEEN} {operation_name(operation, opnum, uuid) or NOT_SEEN}"
    return f"{what} {_way(client, server, port)} -> {result(*answer) or outcome}"


def connection_told(client: str, server: str, port: int, state: str) -> str:
    """Client, server and state."""
    return f"{_way(client, server, port)} {state}"


def session_told(client: str, server: str, port: int, queue: str | None, handle: int | None, state: str) -> str:
    """Queue by its name or handle, client, server and state."""
    named = queue or (NOT_SEEN if handle is None else f"0x{handle:08x}")
    return f"queue {named} {_way(client, server, port)} {state}"


def read_told(client: str, server: str, port: int, label: str | None, action: str | None, outcome: str) -> str:
    """Label, action, client, server and outcome."""
    return f"message {label or NOT_SEEN} {action or NOT_SEEN} {_way(client, server, port)} {outcome}"


def message_told(uid: str, label: str | None, destination: str | None) -> str:
    """Label, else our id of the message, and its destination."""
    return f"message {label or uid} to {destination or NOT_SEEN}"


def move_told(client: str, server: str, port: int, source: str | None, target: str | None, outcome: str) -> str:
    """Both queues, client, server and outcome."""
    return f"message moved from {source or NOT_SEEN} to {target or NOT_SEEN} {_way(client, server, port)} {outcome}"


def finding_told(client: str, server: str, port: int, level: str, title: str) -> str:
    """Level, title, client and server."""
    return f"{level}: {title} {_way(client, server, port)}"


def action_told(client: str, server: str, port: int, action: str, target: str | None, outcome: str) -> str:
    """Action, target, client, server and outcome."""
    return f"{action} {target or NOT_SEEN} {_way(client, server, port)} {outcome}"


def _way(client: str | None, server: str | None, port: int | None) -> str:
    return f"{client or NOT_SEEN} -> {server or NOT_SEEN}:{NOT_SEEN if port is None else port}"
