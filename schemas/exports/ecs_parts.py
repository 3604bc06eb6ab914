"""Fields that documents of ECS share."""

from __future__ import annotations

from typing import Final

from schemas.exports.converters import both
from schemas.exports.model import Field

VERSION: Final = "9.5.0"
"""Fields and allowed values are those of this release."""


def ip_type(address: str) -> str:
    """`ipv4` or `ipv6`."""
    return "ipv6" if ":" in address else "ipv4"


def base(dataset: str, kind: str, categories: list[str]) -> tuple[Field, ...]:
    return (
        Field("ecs.version", always=VERSION),
        Field("event.module", always="msmq"),
        Field("event.dataset", always=f"msmq.{dataset}"),
        Field("event.kind", always=kind),
        Field("event.category", always=categories),
    )


def _end(name: str, side: str) -> tuple[Field, ...]:
    host, port = f"id.{side}_h", f"id.{side}_p"
    return (Field(f"{name}.address", host), Field(f"{name}.ip", host), Field(f"{name}.port", port))


NETWORK: Final = (
    *(*_end("source", "orig"), *_end("destination", "resp"), *_end("client", "orig"), *_end("server", "resp")),
    Field("related.ip", ("id.orig_h", "id.resp_h"), both),
    Field("network.type", "id.orig_h", ip_type),
    Field("network.transport", always="tcp"),
    Field("network.iana_number", always="6"),
    Field("network.protocol", always="dce_rpc"),
)
USER: Final = (
    Field("user.name", "username"),
    Field("user.domain", "domain"),
    Field("related.user", ("username", "opened_for_username"), both),
)
QUEUE: Final = tuple(
    Field(f"msmq.queue.{short}", column)
    for short, column in (("name", "queue_name"), ("named_by", "named_by"), ("doubt", "naming_doubt"))
)
BEHIND: Final = tuple(
    Field(f"msmq.opened_for.{short}", column)
    for short, column in (
        ("ip", "opened_for"),
        ("user.name", "opened_for_username"),
        ("user.domain", "opened_for_domain"),
    )
)
WHO_AND_WHERE: Final = (*NETWORK, *USER, *BEHIND, *QUEUE)
UID: Final = Field("msmq.uid", "uid")
