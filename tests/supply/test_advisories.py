"""Advisories of a snapshot, all made up here, and the versions they concern by OSV's rules."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from scripts.advisories import Snapshot, SnapshotRefused
from scripts.pins import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def advisory(number: int, affected: dict[str, Any], **more: object) -> dict[str, Any]:
    package = {"ecosystem": "PyPI", "name": "Some.Package"}
    return {
        "id": f"MADE-UP-{number}",
        "modified": f"2026-01-{number:02}T00:00:00Z",
        "affected": [{"package": package} | affected],
        **more,
    }


def ranged(*events: dict[str, str], kind: str = "ECOSYSTEM") -> dict[str, Any]:
    return {"ranges": [{"type": kind, "events": list(events)}]}


def archive(path: Path, *advisories: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for one in advisories:
            made.writestr(f"{one['id']}.json", json.dumps(one))
    return path


@pytest.mark.parametrize(
    ("affected", "version", "known"),
    [
        ({"versions": ["1.0", "1.1"]}, "1.1", True),
        ({"versions": ["1.0", "1.1"]}, "1.2", False),
        (ranged({"introduced": "0"}, {"fixed": "2.0"}), "1.9.9", True),
        (ranged({"introduced": "0"}, {"fixed": "2.0"}), "2.0", False),
        (ranged({"introduced": "0"}, {"fixed": "2.0"}), "2.0rc1", True),
        (ranged({"introduced": "1.0"}, {"last_affected": "1.10"}), "1.10", True),
        (ranged({"introduced": "1.0"}, {"last_affected": "1.10"}), "1.11", False),
        (ranged({"introduced": "1.0"}), "0.9", False),
        (ranged({"fixed": "2.0"}, {"introduced": "3.0"}, {"introduced": "1.0"}, {"fixed": "4.0"}), "2.5", False),
        (ranged({"fixed": "2.0"}, {"introduced": "3.0"}, {"introduced": "1.0"}, {"fixed": "4.0"}), "3.5", True),
        (ranged({"introduced": "one"}, {"fixed": "two"}), "1.0", True),
        (ranged({"introduced": "0a1b"}, kind="GIT"), "1.0", False),
    ],
)
def test_versions(tmp_path: Path, affected: dict[str, Any], version: str, known: bool) -> None:
    snapshot = Snapshot(archive(tmp_path / "all.zip", advisory(1, affected)))
    assert [one.id for one in snapshot.known("some-package", version)] == (["MADE-UP-1"] if known else [])
    assert snapshot.known("another", version) == []


def test_what_was_withdrawn_is_not_told(tmp_path: Path) -> None:
    gone = advisory(1, {"versions": ["1"]}, withdrawn="2026-02-01T00:00:00Z")
    assert Snapshot(archive(tmp_path / "all.zip", gone)).known("some-package", "1") == []


def test_other_ecosystems_have_other_packages_of_that_name(tmp_path: Path) -> None:
    other = advisory(1, {"versions": ["1"], "package": {"ecosystem": "npm", "name": "some-package"}})
    assert Snapshot(archive(tmp_path / "all.zip", other)).known("some-package", "1") == []


@pytest.mark.parametrize("content", [b"no archive", b"PK\5\6" + bytes(18)])
def test_what_is_no_snapshot_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "all.zip").write_bytes(content)
    with pytest.raises(SnapshotRefused, match=r"all\.zip"):
        Snapshot(tmp_path / "all.zip")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.json").write_text('["no advisory"]')
    with pytest.raises(SnapshotRefused, match=r"a\.json: is no advisory"):
        Snapshot(tmp_path / "folder")


def test_the_audit_as_its_users_make_it(tmp_path: Path) -> None:
    (tmp_path / "constraints.txt").write_text("some_package==1.5  # a comment\nother==2\n")
    snapshot = archive(
        tmp_path / "all.zip", advisory(3, ranged({"introduced": "0"}, {"fixed": "1.6"}), aliases=["CVE-1-1"])
    )
    command = [sys.executable, "-m", "scripts.advisories", str(snapshot), "--pins", str(tmp_path / "constraints.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    first, *rest = done.stdout.splitlines()
    assert first.startswith(f"{snapshot}: 1 advisories, newest 2026-01-03T00:00:00Z, sha256 ")
    assert rest == [
        "constraints.txt: some-package 1.5: MADE-UP-3, CVE-1-1; fixed in 1.6",
        "constraints.txt: 2 packages asked for, 1 with known vulnerabilities",
    ]
    assert done.returncode == 1
    whole = subprocess.run(["scripts/audit"], capture_output=True, text=True, check=False, cwd=ROOT,
                           env={"SNAPSHOT": str(snapshot), "PATH": "/usr/bin:/bin"})  # fmt: skip
    assert whole.returncode == 0
    assert "constraints-airflow.txt: " in whole.stdout
