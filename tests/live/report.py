"""What the process that talks tells the tests about one connection, as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

HOST = "127.0.0.1"
TIMEOUT_S = 15


@dataclass
class Told:
    client_port: int = 0
    server_port: int = 0
    assoc_group: int | None = None
    """As the client learned it, where its project lets one ask."""
    requests: list[int] = field(default_factory=list)
    """Stub bytes of each request, as its program marshalled it."""
    responses: list[int | None] = field(default_factory=list)
    """The same of each response; None where a fault answered."""
    endpoints: list[list[str | int]] = field(default_factory=list)
    """Address and port, as the endpoint mapper's client understood them."""
