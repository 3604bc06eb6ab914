"""Telling people: in the log always, and by HTTP where a connection is configured."""

from __future__ import annotations

import json
import logging
import urllib.request
from typing import TYPE_CHECKING, Any, Final

from airflow.sdk import Connection, Variable

from mqtrail_steps.settings import chosen

if TYPE_CHECKING:
    from airflow.sdk import Context

log = logging.getLogger(__name__)

SECONDS: Final = 15
LONGEST: Final = 2000
"""Of a text in a message: an exception may carry the whole output of a program."""


def tell(conn_id: str, text: str, **facts: object) -> None:
    """`text` is what chat programs show; the facts are for machines."""
    log.warning("%s", text)
    if conn_id:
        _post(Connection.get(conn_id), {"text": text[:LONGEST], **facts})


def _post(connection: Any, message: dict[str, object]) -> None:  # noqa: ANN401 - Airflow's, without a type here
    """The password, if there is one, goes as a bearer token; the extra `endpoint` is the path."""
    host = connection.host or ""
    if "://" not in host:
        host = f"{connection.schema or 'https'}://{host}"
    if not host.startswith(("http://", "https://")):
        raise ValueError(f"connection {connection.conn_id}: only http and https can be posted to")
    port = f":{connection.port}" if connection.port else ""
    path = str(connection.extra_dejson.get("endpoint", "")).lstrip("/")
    headers = {"Content-Type": "application/json"}
    if connection.password:
        headers["Authorization"] = f"Bearer {connection.password}"
    body = json.dumps(message).encode()
    request = urllib.request.Request(f"{host.rstrip('/')}{port}/{path}", body, headers)  # noqa: S310 - checked above
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
        log.info("posted to connection %s: %s", connection.conn_id, answer.status)


def on_failure(context: Context) -> None:
    """Of a task whose tries are used up. Never raises: the failure itself is what counts."""
    instance = context["ti"]
    map_index = getattr(instance, "map_index", -1)
    where = instance.task_id if map_index in (None, -1) else f"{instance.task_id}[{map_index}]"
    text = f"{instance.dag_id}: {where} failed in run {instance.run_id}: {context.get('exception')}"
    try:
        conn_id = chosen(context["params"], Variable, "notify_conn")
        tell(conn_id, text[:LONGEST], dag_id=instance.dag_id, task_id=instance.task_id, run_id=instance.run_id)
    except Exception:
        log.exception("nobody could be told of a failure: %s", text[:LONGEST])
