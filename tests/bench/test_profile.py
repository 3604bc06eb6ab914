"""Profiles: samples to stacks, stacks to tables and flame graphs, Spark's log to jobs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from bench.profile import attributed
from bench.profiling import events, stacks, tables
from bench.profiling.flame import flame
from bench.profiling.sampler import Sampler, site
from bench.profiling.stacks import Sample, Spent

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        sum(range(1_000))


def test_a_busy_function_is_seen(tmp_path: Path) -> None:
    sampler = Sampler(str(tmp_path), "worker", "cpu")
    sampler.start()
    try:
        busy(0.3)
    finally:
        sampler.stop()
    (own,) = (one for one in stacks.spent(stacks.collapsed(stacks.samples(tmp_path))) if one.function.endswith(".busy"))
    assert 0.1 < own.total_seconds < 3


def brief() -> None:
    pass


def copying(seconds: float) -> None:
    zeros, until = [0] * 20_000, time.process_time() + seconds
    while time.process_time() < until:
        zeros = zeros[:]
        brief()


def test_who_is_called_after_c_code_is_not_who_ran_it(tmp_path: Path) -> None:
    sampler = Sampler(str(tmp_path), "worker", "cpu")
    sampler.start()
    try:
        copying(0.3)
    finally:
        sampler.stop()
    own = {one.function.rpartition(".")[2]: one for one in stacks.spent(stacks.collapsed(stacks.samples(tmp_path)))}
    assert own["copying"].self_seconds > 0.1
    assert "brief" not in own or own["brief"].self_seconds < own["copying"].self_seconds / 4


def test_waiting_counts_by_the_clock_only(tmp_path: Path) -> None:
    for clock in ("cpu", "wall"):
        sampler = Sampler(str(tmp_path), clock, clock)
        sampler.start()
        time.sleep(0.3)
        sampler.stop()
    found = stacks.samples(tmp_path)
    assert sum(one.seconds for one in found if one.role == "wall") > 0.2
    assert sum(one.seconds for one in found if one.role == "cpu") < 0.1


def test_forks_have_files_of_their_own(tmp_path: Path) -> None:
    place, folder = tmp_path / "site", tmp_path / "samples"
    place.mkdir()
    folder.mkdir()
    (place / "sitecustomize.py").write_text(site(str(folder)))
    program = """
import os, time
if os.fork() == 0:
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    os._exit(0)
os.wait()
"""
    environment = os.environ | {"PYTHONPATH": str(place), "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    found = stacks.samples(folder)
    assert sum(one.seconds for one in found if one.role == "worker") > 0.1
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == {"daemon", "worker"}


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "worker-7.samples").write_text("=0 a;b\n0 0.005000 100.000\n0 0.010000 101.000\n=1 a;c\n1 0.0")
    assert stacks.samples(tmp_path) == [
        Sample("worker", ("a", "b"), 0.005, 100),
        Sample("worker", ("a", "b"), 0.01, 101),
    ]


def test_frames_that_all_begin_with_are_left_out() -> None:
    found = [Sample("w", ("main", "run", *rest), 1, 0) for rest in (("a",), ("b", "c"), ("a",))]
    assert stacks.collapsed(found) == {("a",): 2, ("b", "c"): 1}
    assert stacks.collapsed([Sample("w", ("main", "run"), 1, 0)]) == {("run",): 1}
    assert stacks.collapsed([]) == {}


def test_a_function_that_calls_itself_counts_once() -> None:
    found = stacks.spent({("a", "b", "a"): 2.0, ("a",): 1.0})
    assert sorted(found) == [Spent("a", 3, 3), Spent("b", 0, 2)]


def test_stacks_as_other_tools_read_them() -> None:
    assert stacks.written({("b",): 0.0015, ("a", "c"): 2.0}) == "a;c 2000\nb 2\n"


def test_a_flame_graph_is_well_formed_and_to_scale() -> None:
    root = ET.fromstring(flame({("a.<lambda>", "b&c"): 3.0, ("a.<lambda>",): 1.0, ("d",): 4.0}, "time <here>"))
    assert root.tag == f"{SVG}svg"
    widths = {}
    for group in root.iter(f"{SVG}g"):
        title, box = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None
        assert title.text is not None
        assert box is not None
        widths[title.text.partition(":")[0]] = float(box.attrib["width"])
    assert widths == {"a.<lambda>": 789.7, "b&c": pytest.approx(592.2, abs=0.1), "d": 789.7}


def test_a_flame_graph_of_nothing_and_of_deep_stacks() -> None:
    assert list(ET.fromstring(flame({}, "nothing")).iter(f"{SVG}g")) == []
    deep = tuple(f"f{n}" for n in range(3_000))
    assert len(list(ET.fromstring(flame({deep: 1.0}, "deep")).iter(f"{SVG}g"))) == 3_000


def event(kind: str, **values: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"Event": f"SparkListener{kind}"} | {key.replace("_", " "): value for key, value in values.items()}


def test_jobs_of_sparks_log() -> None:
    metrics = {"Executor CPU Time": 5e8, "JVM GC Time": 100, "Shuffle Write Metrics": {"Shuffle Bytes Written": 7}}
    times = {"Launch Time": 1_000, "Finish Time": 3_500}
    log = [
        event("ApplicationStart"),
        event("JobStart", Job_ID=0, Submission_Time=1_000, Stage_IDs=[0, 1]),
        event("TaskEnd", Stage_ID=1, Task_Info=times, Task_Metrics=metrics),
        event("TaskEnd", Stage_ID=0, Task_Info=times | {"Finish Time": 2_000}),
        event("JobEnd", Job_ID=0, Completion_Time=4_000),
        event("JobStart", Job_ID=1, Submission_Time=4_000, Stage_IDs=[2]),
    ]
    (job,) = events.read(log)
    assert (job.wall, job.tasks, job.task_seconds, job.longest_seconds) == (3, 2, 3.5, 2.5)
    assert (job.jvm_seconds, job.gc_seconds, job.shuffled_bytes) == (0.5, 0.1, 7)
    found = [Sample("worker", ("a",), 0.5, 2), Sample("worker", ("a",), 0.5, 9), Sample("driver", ("a",), 0.5, 2)]
    assert attributed([job], found)[0].python_seconds == 0.5
    assert tables.spark([job]).splitlines()[1].split() == ["0", "3.0", "2", "3.5", "2.5", "0.5", "0.5", "0.1", "0.0"]


def test_tables() -> None:
    assert tables.steps([(10, "start"), (12.5, "scan"), (13, "")]).splitlines() == [
        "step of the driver  wall s",
        "start                  2.5",
        "scan                   0.5",
        "all                    3.0",
    ]
    found = [Spent("a", 1, 4), Spent("b", 3, 3)]
    assert [line.split()[0] for line in tables.functions(found, "self_seconds", 5).splitlines()] == [
        "function",
        "b",
        "a",
    ]
    assert tables.functions(found, "total_seconds", 1).splitlines()[1].split() == [
        "a",
        "1.00",
        "25.0%",
        "4.00",
        "100.0%",
    ]
