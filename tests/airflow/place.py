"""Folders of a DAG run, and a mqtrail that does what a test wants."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.airflow import fake_mqtrail
from tests.builders.containers import Packet, pcap

if TYPE_CHECKING:
    from tests.airflow.conftest import Airflow, Ran

LONG_AGO = time.time() - 86_400


class Place:
    def __init__(self, folder: Path, airflow: Airflow) -> None:
        self.airflow = airflow
        self.landing, self.dataset, self.work, self.bin = (
            folder / name for name in ("landing", "dataset", "work", "bin")
        )
        self.landing.mkdir()
        self.bin.mkdir()
        for name in ("mqtrail", "spark-submit"):
            program = self.bin / name
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {fake_mqtrail.__file__} "$0" "$@"\n')
            program.chmod(0o755)
        self.params: dict[str, Any] = {
            name: str(getattr(self, name)) for name in ("landing", "dataset", "work", "bin")
        } | {"wait_minutes": 0}

    def land(self, name: str, *, number: int = 1, cut: int = 0, at: float = LONG_AGO) -> Path:
        """A small capture; another number makes other bytes, `cut` takes bytes off its end."""
        path = self.landing / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = pcap([Packet(bytes(60), ts=number * 1_000_000), Packet(bytes(60), ts=number * 1_000_000 + 1)])
        path.write_bytes(content[: len(content) - cut])
        os.utime(path, (at, at))
        return path

    def behave(self, **how: object) -> None:
        (self.bin / "behaviour.json").write_text(json.dumps(how))

    def calls(self) -> list[dict[str, Any]]:
        """Since the last time it was asked."""
        file = self.bin / "calls.jsonl"
        found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        file.unlink(missing_ok=True)
        return found

    def verbs(self) -> list[str]:
        return [one["arguments"][0] if one["program"] == "mqtrail" else one["program"] for one in self.calls()]

    def nightly(self, environment: dict[str, str] | None = None, **params: object) -> Ran:
        return self.airflow.run("mqtrail_nightly", self.params | params, environment)

    def backfill(self, start: str, end: str, **params: object) -> Ran:
        places = {name: value for name, value in self.params.items() if name != "wait_minutes"}
        return self.airflow.run("mqtrail_backfill", places | {"start": start, "end": end} | params)

    def published(self) -> list[str]:
        """Names of the captures that the dataset has."""
        captures = fake_mqtrail.captures(self.dataset)
        return sorted(str(Path(one["path"]).relative_to(self.landing)) for one in captures)

    def leases(self) -> list[Path]:
        return list((self.work / "leases").glob("*"))
