"""What an event says in a line of a timeline; `?` stands for what was not seen."""

from __future__ import annotations

from typing import Any, Final

from schemas.exports.converters import endpoint_name, operation_name, result

NOT_SEEN: Final = "?"
ENDS: Final = ("id.orig_h", "id.resp_h", "id.resp_p")
WHO: Final = ("username", "domain", "opened_for_username")
CALL_COLUMNS: Final = (
    *ENDS,
    *("endpoint", "interface_uuid", "operation", "opnum", "outcome", "status_name", "status", "fault_name", "fault"),
)
COM_CALL_COLUMNS: Final = (
    *("com_objects.class", "interface", "member", "id.orig_h", "id.resp_h", "id.resp_p", "username", "domain"),
    *("outcome", "hresult_name", "hresult"),
)
QUEUE: Final = ("queue_name", "naming_doubt")
SESSION_COLUMNS: Final = (*ENDS, *WHO, *QUEUE, "queue_handle", "state")
READ_COLUMNS: Final = (*ENDS, *WHO, *QUEUE, "message_label", "action", "outcome", "doubt")
MOVE_COLUMNS: Final = (*ENDS, *WHO[:2], "queue_name", "target_queue_name", "outcome")
SEND_COLUMNS: Final = (*ENDS, *WHO[:2], "message_uid", "message_label", "queue_name", "outcome")
REJECTION_COLUMNS: Final = (*ENDS, *WHO[:2], "message_id", "queue_name", "outcome")
TRANSACTION_COLUMNS: Final = (*ENDS, *WHO[:2], "reads", "sends", "moves", "rejects", "outcome")
ACTION_COLUMNS: Final = (*ENDS, *WHO, *QUEUE, "target", "action", "outcome")
FINDING_COLUMNS: Final = (*ENDS, *WHO, *QUEUE, "level", "title")


def account(username: str | None, domain: str | None) -> str | None:
    """Account with its domain."""
    return f"{domain}\\{username}" if username and domain else username


def who(username: str | None, domain: str | None, behind: str | None) -> str:
    """Account, and the person for whom it acted; nothing where neither is known."""
    named = account(username, domain) or (NOT_SEEN if behind else "")
    return f"{named} for {behind}" if behind else named


def named_queue(queue: str | None, doubt: str | None) -> str | None:
    """Its name, and why that is in doubt."""
    return f"{queue}{_doubted(doubt)}" if queue else None


def _doubted(reason: str | None) -> str:
    return f" (in doubt: {reason})" if reason else ""


def call_sentence(*values: Any) -> str:  # noqa: ANN401 - columns of any type, in the order of the declaration
    """Interface, operation, client, server and result, or else the outcome."""
    client, server, port, endpoint, uuid, operation, opnum, outcome, *answer = values
    what = f"{endpoint_name(endpoint, uuid) or NOT_SEEN} {operation_name(operation, opnum, uuid) or NOT_SEEN}"
    return f"{what} {_way(client, server, port)} -> {result(*answer) or outcome}"


def com_call_sentence(*values: Any) -> str:  # noqa: ANN401
    """Class, else interface, and member, who, client, server and result, or else the outcome."""
    name, interface, member, *by, username, domain, outcome, code_name, code = values
    what = f"{name or interface or NOT_SEEN}.{member or NOT_SEEN}"
    return f"{what} {_by(*by, username, domain, None)} -> {result(code_name, code, None, None) or outcome}"


def connection_sentence(client: str, server: str, port: int, state: str) -> str:
    """Client, server and state."""
    return f"{_way(client, server, port)} {state}"


def session_sentence(*values: Any) -> str:  # noqa: ANN401
    """Queue by its name or handle, who, client, server and state."""
    *by, queue, doubt, handle, state = values
    named = named_queue(queue, doubt) or (NOT_SEEN if handle is None else f"0x{handle:08x}")
    return f"queue {named} {_by(*by)} {state}"


def read_sentence(*values: Any) -> str:  # noqa: ANN401
    """Label, queue, action, who, client, server and outcome."""
    *by, queue, naming_doubt, label, action, outcome, doubt = values
    what = f"message {label or NOT_SEEN} of {named_queue(queue, naming_doubt) or NOT_SEEN} {action or NOT_SEEN}"
    return f"{what} {_by(*by)} {outcome}{_doubted(doubt)}"


def arrival_sentence(server: str | None, label: str | None, queue: str | None) -> str:
    """Label, queue and server: nobody else is named."""
    return f"message {label or NOT_SEEN} arrived in {queue or NOT_SEEN} on {server or NOT_SEEN}"


def message_sentence(uid: str, label: str | None, destination: str | None) -> str:
    """Label, else our id of the message, and its destination."""
    return f"message {label or uid} to {destination or NOT_SEEN}"


def send_sentence(*values: Any) -> str:  # noqa: ANN401
    """Label, else our id of the message, its queue, who, client, server and outcome."""
    *by, uid, label, queue, outcome = values
    return f"{message_sentence(uid or NOT_SEEN, label, queue)} {_by(*by, None)} {outcome}"


def move_sentence(*values: Any) -> str:  # noqa: ANN401
    """Both queues, who, client, server and outcome."""
    *by, source, target, outcome = values
    return f"message moved from {source or NOT_SEEN} to {target or NOT_SEEN} {_by(*by, None)} {outcome}"


def rejection_sentence(*values: Any) -> str:  # noqa: ANN401
    """Message, queue, who, client, server and outcome."""
    *by, message, queue, outcome = values
    return f"message {message or NOT_SEEN} of {queue or NOT_SEEN} rejected {_by(*by, None)} {outcome}"


def transaction_sentence(*values: Any) -> str:  # noqa: ANN401
    """Messages read, sent, moved and rejected in it, who, client, server and outcome."""
    *by, reads, sends, moves, rejects, outcome = values
    counts = ((reads, "read"), (sends, "sent"), (moves, "moved"), (rejects, "rejected"))
    said = ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing done in it"
    return f"transaction ({said}) {_by(*by, None)} {outcome}"


def finding_sentence(*values: Any) -> str:  # noqa: ANN401
    """Level, title, queue, who, client and server."""
    *by, queue, doubt, level, title = values
    return " ".join(filter(None, (f"{level}: {title}", named_queue(queue, doubt), _by(*by))))


def action_sentence(*values: Any) -> str:  # noqa: ANN401
    """Action, queue or other target, who, client, server and outcome."""
    *by, queue, doubt, target, action, outcome = values
    return f"{action} {named_queue(queue, doubt) or target or NOT_SEEN} {_by(*by)} {outcome}"


def _by(*values: Any) -> str:  # noqa: ANN401
    client, server, port, *account_behind = values
    return " ".join(filter(None, (who(*account_behind), _way(client, server, port))))


def _way(client: str | None, server: str | None, port: int | None) -> str:
    return f"{client or NOT_SEEN} -> {server or NOT_SEEN}:{NOT_SEEN if port is None else port}"
