"""The file of --secrets: accounts whose NTLM sessions may be unsealed, and keytabs of services for Kerberos.

What it says is in no table, manifest, log or setting; pipelines/engine/sealed_secrets.py takes it to the workers.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from typing import Any, Final

from decoders.errors import DecodeError
from decoders.security.accounts import Account, Secret, ServiceKey
from decoders.security.keytab import read_keytab
from pipelines.engine.sealed_secrets import SecretsRefused

_MOST_BYTES: Final = 4 * 1024 * 1024
_NT_HASH: Final = re.compile(r"[0-9a-fA-F]{32}")
_TABLES: Final = {
    "account": frozenset(("username", "domain", "password", "nt_hash")),
    "keytab": frozenset(("path",)),
}
_PLACE: Final = re.compile(r"\(at [a-z0-9, ]+\)$")


def read_secrets(path: str, *, force: bool = False) -> tuple[Secret, ...]:
    """`force`: also where others may read the file, or a keytab that it names."""
    found = _parsed(path, _bytes_of(path, force=force))
    others = sorted(found.keys() - _TABLES)
    if others:
        raise SecretsRefused(f"{path}: {others[0]!r} is not known; there are [[account]] and [[keytab]]")
    accounts = [_account(where, one) for where, one in _tables(path, found, "account")]
    keys = [key for where, one in _tables(path, found, "keytab") for key in _keytab(path, where, one, force=force)]
    if not accounts and not keys:
        raise SecretsRefused(f"{path}: has no account and no keytab; write each as [[account]] or [[keytab]]")
    return (*accounts, *keys)


def _tables(path: str, found: dict[str, Any], name: str) -> list[tuple[str, dict[str, Any]]]:
    """With the place of each. Values are texts, and of names that are known."""
    given = found.get(name, [])
    if not isinstance(given, list):
        raise SecretsRefused(f"{path}: write each {name} as [[{name}]]")
    tables = [(f"{path}, {name} {number}", one) for number, one in enumerate(given, 1)]
    for where, one in tables:
        if not isinstance(one, dict):
            raise SecretsRefused(f"{where}: write it as [[{name}]]")
        unknown = sorted(one.keys() - _TABLES[name])
        if unknown:
            raise SecretsRefused(f"{where}: {unknown[0]!r} is not known; there are {', '.join(sorted(_TABLES[name]))}")
        for key, value in one.items():
            if not isinstance(value, str):
                raise SecretsRefused(f"{where}: {key} is no text")
    return tables


def _bytes_of(path: str, *, force: bool, what: str = "") -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the open file is asked for its mode, so that nobody swaps it
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO) and not force:
                raise SecretsRefused(f"{what}{path}: others may read it; `chmod 600` it, or give --force")
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SecretsRefused(f"{what}{path}: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise SecretsRefused(f"{what}{path}: is larger than {_MOST_BYTES} bytes")
    return data


def _parsed(path: str, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise SecretsRefused(f"{path}: is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        # The rest of the message may quote the file.
        place = _PLACE.search(str(error))
        raise SecretsRefused(f"{path}: is no TOML {place[0] if place else ''}".rstrip()) from None


def _account(where: str, given: dict[str, str]) -> Account:
    if not given.get("username"):
        raise SecretsRefused(f"{where}: has no username")
    if ("password" in given) == ("nt_hash" in given):
        raise SecretsRefused(f"{where}: give either password or nt_hash")
    nt_hash = given.get("nt_hash")
    if nt_hash is not None and not _NT_HASH.fullmatch(nt_hash):
        raise SecretsRefused(f"{where}: nt_hash is not 32 hexadecimal digits")
    return Account(
        given["username"],
        given.get("domain"),
        given.get("password"),
        None if nt_hash is None else bytes.fromhex(nt_hash),
    )


def _keytab(secrets: str, where: str, given: dict[str, str], *, force: bool) -> tuple[ServiceKey, ...]:
    if not given.get("path"):
        raise SecretsRefused(f"{where}: has no path")
    path = os.path.join(os.path.dirname(secrets), given["path"])  # noqa: PTH118, PTH120 - texts, as users write them
    data = _bytes_of(path, force=force, what="keytab ")
    try:
        keys = read_keytab(data)
    except DecodeError as error:
        raise SecretsRefused(f"keytab {path}: {error.detail} (at byte {error.offset})") from None
    if not keys:
        raise SecretsRefused(f"keytab {path}: has no keys")
    return keys
