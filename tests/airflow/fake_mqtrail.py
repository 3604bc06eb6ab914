"""Stands in for mqtrail and for spark-submit where a test needs them to fail at a given place, and fast.

Keeps to what the real ones promise: captures known by their SHA-256, what is staged replaced by the next analysis,
publishing in one step, the exit codes. `inspect` is the real one. Failures come from `behaviour.json` beside the
program, what was called goes to `calls.jsonl`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(sys.argv[1]).parent if len(sys.argv) > 1 else Path()
REAL = Path(__file__).parents[2] / ".venv" / "bin" / "mqtrail"


def main(name: str, arguments: list[str]) -> int:
    with (HERE / "calls.jsonl").open("a", encoding="ascii") as calls:
        told = {key: os.environ.get(key) for key in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYTHONPATH")}
        calls.write(json.dumps({"program": name, "arguments": arguments, "environment": told}) + "\n")
    if name == "spark-submit":
        at = next(number for number, one in enumerate(arguments) if one.endswith(".py"))
        return submitted(arguments[at + 1 :])
    verb, *rest = arguments
    if verb == "inspect":
        return subprocess.run([REAL, *arguments], check=False).returncode
    return {"check": check, "publish": publish}[verb](Path(rest[0]))


def submitted(arguments: list[str]) -> int:
    verb = arguments[0]
    options = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    dataset = Path(options["--dataset"])
    if code := answer("analyze") or analyze(dataset, json.loads(Path(options["--captures-from"]).read_text())):
        return code
    if verb == "load":
        if code := check(dataset) or publish(dataset):
            return code
        shutil.copyfile(dataset / "run.json", options["--summary"])
    return 0


def analyze(dataset: Path, paths: list[str]) -> int:
    known = {one["sha256"] for one in captures(dataset)}
    inputs = [{"path": path, "sha256": sha256(path), "state": "complete"} for path in paths]
    new = [one for one in inputs if one["sha256"] not in known]
    if not new:
        return 0
    shutil.rmtree(staged(dataset), ignore_errors=True)
    (staged(dataset) / "runs").mkdir(parents=True)
    earlier = sorted((dataset / "runs").glob("*"))
    for file in earlier:
        (staged(dataset) / "runs" / file.name).hardlink_to(file)
    facts = {"run": len(earlier) + 1, "inputs": new, "new_findings": behaviour().get("new_findings", {})}
    for name in ("run.json", f"runs/{len(earlier) + 1:06}.json"):
        (staged(dataset) / name).write_text(json.dumps(facts))
    return 0


def check(dataset: Path) -> int:
    bad = behaviour().get("bad_capture")
    if bad and any(bad in one["path"] for one in captures(staged(dataset))):
        return 15
    return answer("check")


def publish(dataset: Path) -> int:
    if code := answer("publish"):
        return code
    if not staged(dataset).exists():
        return 0
    shutil.rmtree(dataset, ignore_errors=True)
    staged(dataset).rename(dataset)
    # As if the worker died right after.
    return answer("after_publish")


def staged(dataset: Path) -> Path:
    return dataset.with_name(f".{dataset.name}.staged")


def captures(folder: Path) -> list[dict[str, str]]:
    """Of all runs."""
    return [one for file in sorted((folder / "runs").glob("*")) for one in json.loads(file.read_text())["inputs"]]


def sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def behaviour() -> dict[str, Any]:
    file = HERE / "behaviour.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def answer(step: str) -> int:
    """The next exit code that the test wants of this step; 0 when they are used up."""
    wanted = behaviour()
    codes = wanted.get(step, [])
    if not codes:
        return 0
    wanted[step] = codes[1:]
    (HERE / "behaviour.json").write_text(json.dumps(wanted))
    return int(codes[0])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).name, sys.argv[2:]))
