"""Secrets on their way to workers: sealed in the closure, with a key that goes another way.

Closures become broadcasts, which any process of the application, and its disks, may hold. The key never does: on this
machine it lies in a private file of the run, on a cluster Spark's file server gives it to the workers. That is worth as
much as the guard of that server, so that a cluster without one is refused.
"""

from __future__ import annotations

import json
import os
import secrets as randomness
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from decoders.security.accounts import Account, ServiceKey
from pipelines.engine.guard import is_guarded, is_local
from pipelines.engine.run_folder import run_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark import SparkContext

    from decoders.security.accounts import Secret

_KINDS: Final[dict[str, type[Secret]]] = {"account": Account, "service key": ServiceKey}
_BINARY: Final = frozenset(("nt_hash", "key"))
_KEY_BYTES: Final = 32


class SecretsRefused(Exception):
    """The text says why, and nothing of what is in the file but names of keys."""


class Secrets(Protocol):
    def opened(self) -> tuple[Secret, ...]: ...


@dataclass(frozen=True)
class OpenSecrets:
    """For stages that run in this process."""

    known: tuple[Secret, ...] = field(repr=False)

    def opened(self) -> tuple[Secret, ...]:
        return self.known


@dataclass(frozen=True, slots=True)
class SealedSecrets:
    """AES-256-GCM; the key is used for nothing else."""

    nonce: bytes
    tag: bytes
    data: bytes = field(repr=False)
    key_file: str
    """An absolute path, or a name among the files that Spark gave to the worker."""

    def opened(self) -> tuple[Secret, ...]:
        """By whoever is a worker of the run, or its driver."""
        from Cryptodome.Cipher import AES  # noqa: PLC0415 - for those who have secrets

        path = Path(self.key_file)
        if not path.is_absolute():
            from pyspark import SparkFiles  # noqa: PLC0415

            path = Path(SparkFiles.get(self.key_file))
        key = path.read_bytes()
        return _parsed(AES.new(key, AES.MODE_GCM, self.nonce).decrypt_and_verify(self.data, self.tag))


def sealed(context: SparkContext, secrets: Sequence[Secret]) -> SealedSecrets:
    from Cryptodome.Cipher import AES  # noqa: PLC0415

    key = randomness.token_bytes(_KEY_BYTES)
    path = run_folder().path / f"mqtrail-{randomness.token_hex(16)}.key"
    with open(path, "xb", opener=_for_the_owner) as file:
        file.write(key)
    here = is_local(str(context.master))
    if not here:
        context.addFile(str(path))
    cipher = AES.new(key, AES.MODE_GCM)
    data, tag = cipher.encrypt_and_digest(_text(secrets))
    return SealedSecrets(bytes(cipher.nonce), tag, data, str(path) if here else path.name)


def refuse_unguarded(context: SparkContext) -> None:
    if not is_guarded(dict(context.getConf().getAll())):
        raise SecretsRefused(
            f"{context.master}: whoever reaches its network could have the secrets; switch on spark.authenticate and "
            "spark.network.crypto.enabled there"
        )


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _text(secrets: Sequence[Secret]) -> bytes:
    kinds = {kind: name for name, kind in _KINDS.items()}
    return json.dumps([{"kind": kinds[type(one)], **asdict(one)} for one in secrets], default=bytes.hex).encode()


def _parsed(text: bytes) -> tuple[Secret, ...]:
    return tuple(_KINDS[one.pop("kind")](**_with_bytes(one)) for one in json.loads(text))


def _with_bytes(one: dict[str, Any]) -> dict[str, Any]:
    return {name: bytes.fromhex(value) if value and name in _BINARY else value for name, value in one.items()}
