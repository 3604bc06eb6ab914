"""run.json: what went into a run, what came out, and the hash of the run before it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from ingest.files import exists, join, read_bytes, write_bytes
from pipelines.store.files import StoredFile, WrittenFile
from pipelines.store.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MANIFEST: Final = "run.json"
HISTORY: Final = "runs"
"""Folder with the manifests of all runs of a dataset, by number."""
FORMAT: Final = 7
"""Of the manifest and of what a dataset carries: a dataset of another format is not added to."""
READABLE: Final = (5, 6, FORMAT)
"""Formats that are added to. Facts have names since 6 and are msgpack since 7; older releases cannot read them."""
Json = dict[str, Any]
NAMES: Final = re.compile(r"[a-z]+\.(json|html)|(tables|state|runs)(/[A-Za-z0-9_=-]+)*/[A-Za-z0-9_-]+\.(parquet|json)")
"""What outputs are called: a manifest that leads out of its folder was not written by us."""


class ManifestDamaged(Exception):
    """The text says what is wrong with which file."""


def read_manifest(folder: str) -> Json | None:
    """None: there is no run in the folder."""
    path = join(folder, MANIFEST)
    if not exists(path):
        return None
    try:
        found = json.loads(read_bytes(path))
    except ValueError as error:
        raise ManifestDamaged(f"{path}: is no JSON ({error})") from None
    if not isinstance(found, dict) or not isinstance(found.get("outputs"), list):
        raise ManifestDamaged(f"{path}: is no manifest of mqtrail")
    for entry in found["outputs"]:
        if not isinstance(entry, dict) or not NAMES.fullmatch(str(entry.get("path"))):
            raise ManifestDamaged(f"{path}: names a file that no run writes: {entry}"[:500])
    return found


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def output_entries(files: Iterable[WrittenFile]) -> list[Json]:
    return [
        {
            "path": one.path,
            "table": one.table,
            "rows": one.rows,
            "bytes": one.bytes,
            "sha256": one.sha256,
        }
        | ({"arrow_bytes": one.arrow_bytes} if one.arrow_bytes else {})
        for one in sorted(files, key=lambda one: one.path)
    ]


def stored_files(manifest: Json, root: str, kind: str) -> dict[str, list[StoredFile]]:
    """Files of the run below `tables` or `state`, by table."""
    found: dict[str, list[StoredFile]] = {}
    for entry in manifest["outputs"]:
        if entry["path"].startswith(f"{kind}/"):
            size, digest, in_memory = entry["bytes"], entry["sha256"], entry.get("arrow_bytes", 0)
            written = WrittenFile(entry["table"], entry["path"], entry["rows"], size, digest, arrow_bytes=in_memory)
            found.setdefault(entry["table"], []).append(StoredFile(root, written))
    return found


def write_manifest(
    folder: str, facts: Json, files: Iterable[WrittenFile], others: Sequence[str] = (), before: Sequence[Json] = ()
) -> bytes:
    """`others`: files of the folder that are no tables, by path. `before`: what an earlier manifest says of some."""
    known = {entry["path"]: entry for entry in before}
    outputs = [*output_entries(files), *(known[path] for path in sorted(others) if path in known)]
    for path in sorted(path for path in others if path not in known):
        data = read_bytes(join(folder, path))
        outputs.append({"path": path, "table": None, "rows": None, "bytes": len(data), "sha256": sha256_of(data)})
    manifest = {"tool": "mqtrail", "version": VERSION, "format": FORMAT} | facts | {"outputs": outputs}
    data = (json.dumps(manifest, indent=2) + "\n").encode()
    write_bytes(join(folder, MANIFEST), data)
    return data
