"""Whether a run is still what its manifest says: itself, outputs, the runs before it, inputs that are there yet."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ingest.files import PlainFile, exists, files_below, join, read_bytes, sha256, size_of
from pipelines.store.claims import false_claims
from pipelines.store.manifest import HISTORY, MANIFEST, read_manifest, sha256_of
from pipelines.store.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]
WATCHED: Final = ("tables", "state", HISTORY)
"""Folders in which nothing may lie that the manifest does not name."""


@dataclass(slots=True)
class Verification:
    problems: list[str] = field(default_factory=list)
    outputs: int = 0
    inputs: int = 0
    gone: list[str] = field(default_factory=list)
    """Inputs that are no longer where they were: nothing can be said of them."""
    runs: int = 0
    head: str = ""
    """Hash of the manifest itself: noted elsewhere, it proves all the rest."""
    counts: Json = field(default_factory=dict)
    """What the manifest says was counted, where this version wrote it."""


def verify(folder: str, expected: str | None = None) -> Verification | None:
    """None: there is no run in the folder. `expected`: the hash of the manifest, as it was noted elsewhere."""
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    found = Verification(head=sha256_of(read_bytes(join(folder, MANIFEST))))
    if expected is not None and expected.lower() != found.head:
        found.problems.append(f"{join(folder, MANIFEST)}: is not the manifest of that hash; its own is {found.head}")
    found.problems += _outputs(folder, manifest, found)
    found.problems += false_claims(folder, manifest)
    found.problems += _strangers(folder, manifest)
    if manifest["version"] == VERSION:
        found.counts = manifest.get("counts", {})
    manifests = [manifest]
    if "run" in manifest:
        manifests = list(_chain(folder, manifest, found))
    found.runs = len(manifests)
    for one in manifests:
        found.problems += _inputs(one, found)
    return found


def _outputs(folder: str, manifest: Json, found: Verification) -> Iterator[str]:
    for entry in manifest["outputs"]:
        path = join(folder, entry["path"])
        found.outputs += 1
        if not exists(path):
            yield f"{path}: is gone"
        elif _differs(path, entry):
            yield f"{path}: has changed since the run"


def _differs(path: str, entry: Json) -> bool:
    if size_of(path) != entry["bytes"]:
        return True
    digest, unchanged = sha256(path, entry["bytes"])
    return not unchanged or digest != entry["sha256"]


def _strangers(folder: str, manifest: Json) -> Iterator[str]:
    known = {entry["path"] for entry in manifest["outputs"]}
    if "run" in manifest:
        known.add(_history(manifest["run"]))
    for part in WATCHED:
        for name, _ in files_below(join(folder, part)):
            if f"{part}/{name}" not in known:
                yield f"{join(folder, part, name)}: belongs to no run"


def _history(number: int) -> str:
    return f"{HISTORY}/{number:06d}.json"


def _chain(folder: str, manifest: Json, found: Verification) -> Iterator[Json]:
    """The run and those before it, newest first; each names the hash of the one before."""
    own = join(folder, _history(manifest["run"]))
    if not exists(own) or read_bytes(own) != read_bytes(join(folder, MANIFEST)):
        found.problems.append(f"{own}: is not the manifest of the last run")
    yield manifest
    while expected := manifest.get("previous_run_sha256"):
        path = join(folder, _history(manifest["run"] - 1))
        if not exists(path):
            found.problems.append(f"{path}: is gone; the chain of runs ends there")
            return
        data = read_bytes(path)
        if sha256_of(data) != expected:
            found.problems.append(f"{path}: is not the manifest that the run after it names")
            return
        manifest = json.loads(data)
        yield manifest


def _inputs(manifest: Json, found: Verification) -> Iterator[str]:
    for entry in manifest.get("inputs", ()):
        path, digest = _as_given(entry["path"]), entry["sha256"]
        if digest is None:
            continue
        try:
            size = PlainFile(path).size()
            same = size == entry["bytes"] and sha256(path, size) == (digest, True)
        except OSError:
            found.gone.append(entry["path"])
            continue
        found.inputs += 1
        if not same:
            yield f"{entry['path']}: the capture has changed since it was analysed"


def _as_given(shown: str) -> str:
    """Names that are not UTF-8 are shown with their bytes as escapes."""
    if "\\x" not in shown or exists(shown):
        return shown
    raw = shown.encode().decode("unicode_escape").encode("latin-1", "ignore")
    return os.fsdecode(raw)
