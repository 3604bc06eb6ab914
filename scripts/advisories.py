"""Asks a snapshot of advisories, in OSV's format, for the pinned versions: a file, where no database can be reached.

OSV publishes one archive for all of PyPI (`PyPI/all.zip`); a folder of its JSON files does as well. What the snapshot
does not know nobody is told of, so that its hash and its newest date are part of the answer.
0: nothing is known, 1: something is, 2: the snapshot cannot be used.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from scripts.pins import FILES, ROOT, pins

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]
MOST_BYTES: Final = 16 << 20
"""Of one advisory: the largest have some hundred kilobytes."""


_FIRST, _LAST = Version("0.dev0"), Version("99999!0")


class SnapshotRefused(Exception):
    """The text says why."""


@dataclass(frozen=True, slots=True)
class Advisory:
    id: str
    aliases: tuple[str, ...]
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join((self.id, *self.aliases))
        return f"{names}; fixed in {', '.join(self.fixed)}" if self.fixed else f"{names}; no version is fixed"


class Snapshot:
    def __init__(self, path: Path) -> None:
        self._by_package: dict[str, list[tuple[Json, Json]]] = {}
        self.advisories = 0
        self.newest = ""
        digest = hashlib.sha256()
        for name, data in _files(path):
            digest.update(name.encode() + b"\0" + data)
            try:
                self._take(json.loads(data))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise SnapshotRefused(f"{path}: {name}: is no advisory of OSV ({error})") from None
        self.sha256 = digest.hexdigest() if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        if not self.advisories:
            raise SnapshotRefused(f"{path}: holds no advisory")

    def _take(self, advisory: Json) -> None:
        self.newest = max(self.newest, advisory["modified"])
        self.advisories += 1
        if "withdrawn" in advisory:
            return
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") == "PyPI":
                self._by_package.setdefault(canonicalize_name(package["name"]), []).append((advisory, affected))

    def known(self, name: str, version: str) -> list[Advisory]:
        found = {}
        for advisory, affected in self._by_package.get(name, ()):
            if _concerns(affected, version):
                fixed = {event["fixed"] for events in _ranges(affected) for event in events if "fixed" in event}
                found[advisory["id"]] = Advisory(
                    advisory["id"], tuple(sorted(advisory.get("aliases", ()))), tuple(sorted(fixed, key=_order))
                )
        return [found[key] for key in sorted(found)]


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield file.relative_to(path).as_posix(), file.read_bytes()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
                if not entry.filename.endswith(".json"):
                    continue
                if entry.file_size > MOST_BYTES:
                    raise SnapshotRefused(f"{path}: {entry.filename}: has more than {MOST_BYTES} bytes")
                yield entry.filename, archive.read(entry)
    except (OSError, zipfile.BadZipFile) as error:
        raise SnapshotRefused(f"{path}: is neither a folder nor an archive that can be read ({error})") from None


def _concerns(affected: Json, version: str) -> bool:
    """OSV's own rule: the version is listed, or a range holds it."""
    if version in affected.get("versions", ()):
        return True
    return any(_holds(events, _order(version)) for events in _ranges(affected))


def _ranges(affected: Json) -> list[list[Json]]:
    return [one["events"] for one in affected.get("ranges", ()) if one.get("type") in ("ECOSYSTEM", "SEMVER")]


def _holds(events: list[Json], version: Version) -> bool:
    inside = False
    for when, kind in sorted((_order(text, kind), kind) for event in events for kind, text in event.items()):
        if kind == "introduced":
            inside = inside or version >= when
        elif kind == "fixed":
            inside = inside and version < when
        elif kind == "last_affected":
            inside = inside and version <= when
    return inside


def _order(text: str, kind: str = "") -> Version:
    """What PyPI could not have written is taken so that an advisory is rather told than not."""
    try:
        return _FIRST if text == "0" else Version(text)
    except InvalidVersion:
        return _FIRST if kind == "introduced" else _LAST


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.advisories", description=__doc__)
    parser.add_argument("snapshot", type=Path, metavar="FILE", help="OSV's PyPI/all.zip, or a folder of its files")
    parser.add_argument("--pins", type=Path, action="append", metavar="FILE", help="versions (default: all of ours)")
    options = parser.parse_args()
    try:
        snapshot = Snapshot(options.snapshot)
    except SnapshotRefused as refused:
        print(f"audit: {refused}", file=sys.stderr)
        sys.exit(2)
    print(f"{options.snapshot}: {snapshot.advisories} advisories, newest {snapshot.newest}, sha256 {snapshot.sha256}")
    bad = 0
    for file in options.pins or [ROOT / name for name in FILES]:
        wanted = pins(file)
        known = {name: snapshot.known(name, version) for name, version in wanted.items()}
        for name, advisories in known.items():
            for advisory in advisories:
                print(f"{file.name}: {name} {wanted[name]}: {advisory}")
        count = sum(map(bool, known.values()))
        print(f"{file.name}: {len(wanted)} packages asked for, {count} with known vulnerabilities")
        bad += count
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
