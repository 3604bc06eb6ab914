"""Secrets that an investigator has: of accounts, and keys of services."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TypeAlias


class SecretFit(enum.StrEnum):
    """On the secret given for a client's account, or for the service that it speaks to."""

    RIGHT = "right"
    WRONG = "wrong"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class Account:
    """One of password and nt_hash is there. Neither is shown by repr(), which ends up in logs."""

    username: str
    domain: str | None = None
    """None: any."""
    password: str | None = field(default=None, repr=False)
    nt_hash: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """An entry of a keytab: what tickets for a service are sealed with."""

    principal: str
    """Parts with / between them."""
    realm: str
    kvno: int
    etype: int
    key: bytes = field(repr=False)


Secret: TypeAlias = Account | ServiceKey
