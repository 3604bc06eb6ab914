"""mqtrail_nightly on a real Airflow, with a mqtrail that fails where a test wants it to."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.airflow.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.airflow.conftest import Airflow

HOSTILE = "$(touch pwned) `id`; 'x' \"y\" {{ 1/0 }} *.pcap"
DONE = dict.fromkeys(
    ("sense", "choose", "claim", "collect", "analyze", "quality_gate", "publish", "release"), "success"
)


@pytest.fixture
def place(tmp_path: Path, airflow: Airflow) -> Place:
    return Place(tmp_path, airflow)


@pytest.fixture
def listener() -> Iterator[tuple[dict[str, str], list[dict[str, Any]]]]:
    """Environment with a connection to post to, and what was posted."""
    posted: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            posted.append(body | {"_path": self.path, "_token": self.headers["Authorization"]})
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    connection = {"conn_type": "http", "schema": "http", "host": "127.0.0.1", "port": server.server_port}
    connection |= {"password": "token-of-test", "extra": {"endpoint": "/hook"}}
    yield {"AIRFLOW_CONN_TEST_HOOK": json.dumps(connection), "AIRFLOW_VAR_MQTRAIL_NOTIFY_CONN": "test_hook"}, posted
    server.shutdown()
    thread.join()
    server.server_close()


def test_new_captures_are_published_and_told_of(
    place: Place, listener: tuple[dict[str, str], list[dict[str, Any]]]
) -> None:
    environment, posted = listener
    place.land("a.pcap", number=1)
    place.land(f"deeper/{HOSTILE}", number=2)
    place.land("-rf", number=3)
    place.land(os.fsdecode(b"caf\xe9.pcap"), number=4)
    place.land("growing.pcap", number=5, at=time.time())
    place.land(".on-its-way.pcap", number=6)
    (place.landing / "link.pcap").symlink_to(place.landing / "growing.pcap")
    place.behave(new_findings={"low": 7, "high": 2, "critical": 1})
    ran = place.nightly(environment)
    verified = {f"verify[{number}]": "success" for number in range(4)}
    assert ran.states == DONE | verified | {"notify": "success"}
    assert ran.state == "success"
    assert place.published() == ["-rf", "a.pcap", os.fsdecode(b"caf\xe9.pcap"), f"deeper/{HOSTILE}"]
    digest = hashlib.sha256((place.dataset / "run.json").read_bytes()).hexdigest()
    findings = {"low": 7, "high": 2, "critical": 1}
    assert ran.events == [("publish", {"dataset": str(place.dataset), "run_sha256": digest, "new_findings": findings})]
    (message,) = posted
    assert message["text"] == f"mqtrail: new findings in {place.dataset}: 1 critical, 2 high"
    assert (message["_path"], message["_token"]) == ("/hook", "Bearer token-of-test")
    assert message["new_findings"] == {"critical": 1, "high": 2}
    assert "token-of-test" not in ran.log
    assert place.leases() == []
    assert list(place.landing.parent.rglob("pwned")) == []


def test_spark_submit_is_called_with_mqtrails_own_environment(place: Place) -> None:
    place.land("a.pcap")
    place.nightly(
        case="case-17", scope="rpc", driver_memory="2g", application="/opt/submit.py", spark_conf={"spark.x": "a b"}
    )
    (submit,) = [one for one in place.calls() if one["program"] == "spark-submit"]
    arguments = submit["arguments"]
    assert arguments[arguments.index("--master") + 1] == "local[*]"
    assert {"spark.driver.memory=2g", "spark.x=a b"} < set(arguments)
    application = arguments.index("/opt/submit.py")
    list_file = next(place.work.rglob("captures.json"))
    assert arguments[application + 1 :] == [
        *("analyze", "--captures-from", str(list_file), "--dataset", str(place.dataset)),
        *("--scope", "rpc", "--case", "case-17", "--no-publish"),
    ]
    assert json.loads(list_file.read_text()) == [str(place.landing / "a.pcap")]
    assert submit["environment"]["PYSPARK_PYTHON"] == submit["environment"]["PYSPARK_DRIVER_PYTHON"]
    assert submit["environment"]["PYSPARK_PYTHON"] == f"{place.bin}/python"


def test_connection_decides_the_master(place: Place) -> None:
    place.land("a.pcap")
    environment = {"AIRFLOW_CONN_BIG_ONE": json.dumps({"conn_type": "spark", "host": "spark://10.0.0.1", "port": 7077})}
    place.nightly(environment, spark_conn="big_one")
    (submit,) = [one for one in place.calls() if one["program"] == "spark-submit"]
    assert submit["arguments"][submit["arguments"].index("--master") + 1] == "spark://10.0.0.1:7077"


def test_second_run_with_nothing_new_does_nothing(place: Place) -> None:
    place.land("a.pcap")
    assert place.nightly().state == "success"
    assert place.verbs() == ["inspect", "spark-submit", "check", "publish"]
    before = (place.dataset / "run.json").stat()
    ran = place.nightly()
    assert ran.state == "success"
    assert set(ran.states.values()) == {"skipped"}
    assert place.verbs() == []
    assert (place.dataset / "run.json").stat() == before
    assert ran.events == []


def test_known_capture_under_another_name_is_not_analysed(place: Place) -> None:
    place.land("a.pcap")
    place.nightly()
    place.calls()
    place.land("copy-of-a.pcap")
    ran = place.nightly()
    assert ran.state == "success"
    assert place.verbs() == ["inspect"]
    assert ran.states["collect"] == ran.states["publish"] == "skipped"
    assert place.leases() == []
    assert set(place.nightly().states.values()) == {"skipped"}
    assert place.verbs() == []


def test_damaged_capture_fails_only_its_own_task(
    place: Place, listener: tuple[dict[str, str], list[dict[str, Any]]]
) -> None:
    environment, posted = listener
    place.land("a.pcap", number=1)
    place.land("b-cut.pcap", number=2, cut=10)
    place.land("c.pcap", number=3)
    ran = place.nightly(environment)
    assert ran.states == DONE | {
        "verify[0]": "success",
        "verify[1]": "failed",
        "verify[2]": "success",
        "notify": "skipped",
    }
    assert ran.tries["verify[1]"] == ("failed", 1), "a damaged file is not read again"
    assert place.published() == ["a.pcap", "c.pcap"]
    (message,) = posted
    assert message["text"].startswith(f"mqtrail_nightly: verify[1] failed in run {ran.run_id}: refused")
    assert "b-cut.pcap': truncated: the file ends after 50 of a packet's 60 bytes" in message["text"]
    place.calls()
    assert set(place.nightly().states.values()) == {"skipped"}, "refused once, and still the same file"
    place.land("b-cut.pcap", number=2)
    place.nightly()
    assert place.published() == ["a.pcap", "b-cut.pcap", "c.pcap"]


def test_truncated_capture_is_accepted_if_wanted(place: Place) -> None:
    place.land("cut.pcap", cut=10)
    place.landing.joinpath("no-capture.txt").write_text("hello")
    os.utime(place.landing / "no-capture.txt", (1, 1))
    ran = place.nightly(accept_truncated=True)
    assert (ran.states["verify[0]"], ran.states["verify[1]"]) == ("success", "failed")
    assert place.published() == ["cut.pcap"]


def test_nothing_but_damage_is_a_failure(place: Place) -> None:
    place.land("cut.pcap", cut=10)
    ran = place.nightly()
    assert ran.state == "failed"
    assert (ran.states["collect"], ran.states["analyze"]) == ("failed", "upstream_failed")
    assert not place.dataset.exists()
    assert place.leases() == []


def test_more_captures_than_tasks_share_them(place: Place) -> None:
    for number in range(5):
        place.land(f"{number}.pcap", number=number, cut=10 if number == 1 else 0)
    ran = place.nightly(verify_tasks=2)
    assert (ran.states["verify[0]"], ran.states["verify[1]"]) == ("failed", "success")
    assert "verify[2]" not in ran.states
    assert place.published() == ["0.pcap", "2.pcap", "3.pcap", "4.pcap"]


def test_quality_failure_stops_before_publishing(place: Place) -> None:
    place.land("a.pcap", number=1)
    place.nightly()
    place.land("b.pcap", number=2)
    before = (place.dataset / "run.json").read_text()
    place.behave(check=[15])
    place.calls()
    ran = place.nightly()
    assert ran.state == "failed"
    assert ran.tries["quality_gate"] == ("failed", 1), "the same data would fail again"
    assert ran.states["publish"] == ran.states["notify"] == "upstream_failed"
    assert place.verbs() == ["inspect", "spark-submit", "check"]
    assert (place.dataset / "run.json").read_text() == before
    assert ran.events == []
    assert place.leases() == []
    assert place.nightly().state == "success", "what was not published is still to do"
    assert place.published() == ["a.pcap", "b.pcap"]


def test_passing_failures_are_retried_and_do_no_harm(place: Place) -> None:
    place.land("a.pcap")
    place.behave(analyze=[1], check=[1], publish=[1], new_findings={"high": 1})
    ran = place.nightly()
    assert ran.state == "success"
    assert {ran.tries[task] for task in ("analyze", "quality_gate", "publish")} == {("success", 2)}
    assert place.published() == ["a.pcap"]
    assert len(ran.events) == 1


def test_publishing_that_was_done_before_its_task_died_is_found_done(place: Place) -> None:
    place.land("a.pcap")
    place.behave(after_publish=[1], new_findings={"high": 1})
    ran = place.nightly()
    assert ran.tries["publish"] == ("success", 2)
    assert ran.states["notify"] == "success"
    assert len(ran.events) == 1


def test_program_that_is_not_there_is_named(place: Place) -> None:
    place.land("a.pcap")
    (place.bin / "mqtrail").unlink()
    ran = place.nightly()
    assert ran.state == "failed"
    assert f"there is no {place.bin}/mqtrail; set the variable mqtrail_bin" in ran.log


def test_missing_landing_folder_is_a_failure(place: Place) -> None:
    place.landing.rmdir()
    ran = place.nightly()
    assert (ran.state, ran.states["sense"]) == ("failed", "failed")
