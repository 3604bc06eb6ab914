"""Which master a run has, and with which settings and interpreter; no Spark is started."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

import pipelines.engine.run_folder
from pipelines.engine import spark_session as session
from pipelines.engine.guard import TO_ITSELF, SettingRefused
from pipelines.engine.run_folder import RunFolder, _places, run_folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Fills with the settings that Spark would get; what is shipped is noted as `shipped`."""
    found: dict[str, str] = {}

    def started(chosen: dict[str, str], _: str, *, bare: bool) -> dict[str, str]:
        found.update(chosen)
        return found

    def shipped(to: dict[str, Any]) -> None:
        to["shipped"] = "yes"

    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "PYSPARK_PYTHON", "SPARK_REMOTE"):
        monkeypatch.setenv(name, "")  # to be put back, whatever the session sets
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", "")
    monkeypatch.setattr(session, "_started", started)
    monkeypatch.setattr(session, "ship", shipped)
    monkeypatch.setattr(session, "_need_java", lambda: None)
    return found


def submitted(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    given = {key.replace("_", "."): value for key, value in settings.items()}
    monkeypatch.setattr(session, "_of_the_running_jvm", lambda: given)


def test_this_machine_unless_told(asked: dict[str, str]) -> None:
    session.spark_session()
    assert asked["spark.master"].startswith("local[*")
    assert "spark.driver.memory" in asked
    assert "shipped" not in asked


def test_the_one_asked_for(asked: dict[str, str]) -> None:
    session.spark_session("spark://there:7077", {"spark.ui.enabled": "true"})
    assert asked["spark.master"] == "spark://there:7077"
    assert (asked["shipped"], asked["spark.ui.enabled"], asked["spark.app.name"]) == ("yes", "true", "mqtrail")
    assert "spark.driver.memory" not in asked
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def test_on_this_machine_a_run_keeps_to_itself(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine's own settings are."""
    submitted(monkeypatch, spark_master="local[8]", spark_ui_enabled="true", spark_driver_bindAddress="0.0.0.0")
    session.spark_session()
    assert {key: asked[key] for key in TO_ITSELF} == TO_ITSELF
    assert asked["spark.ui.enabled"] == "false"
    assert Path(asked["spark.local.dir"]).is_relative_to(run_folder().path)


def test_spark_shows_its_page_only_on_request(asked: dict[str, str]) -> None:
    session.spark_session("local[2]", {"spark.ui.enabled": "true"})
    assert asked["spark.ui.enabled"] == "true"


def test_and_refuses_to_be_open(asked: dict[str, str]) -> None:
    for key in TO_ITSELF:
        with pytest.raises(SettingRefused, match=f"{key}=x: a run on this machine keeps to itself"):
            session.spark_session("local[2]", {key: "x"})
    assert asked == {}


def test_a_cluster_is_as_it_is_but_spills_in_cipher_unless_told(
    asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.spark_session("spark://there:7077")
    assert set(TO_ITSELF) & set(asked) == {"spark.io.encryption.enabled"}
    assert asked["spark.io.encryption.enabled"] == "true"
    asked.clear()
    submitted(monkeypatch, spark_master="yarn", spark_io_encryption_enabled="false")
    session.spark_session()
    assert "spark.io.encryption.enabled" not in asked


def test_a_folder_in_each_place_where_spark_may_spill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    assert _places({"spark.local.dir": f"{tmp_path}/a, {tmp_path}/b"}) == (tmp_path / "a", tmp_path / "b")
    folder = RunFolder((tmp_path / "a", tmp_path / "b"))
    places = [Path(place) for place in folder.settings["spark.local.dir"].split(",")]
    assert [place.parents[1] if place.name == "spark" else place.parent for place in places] == [
        tmp_path / "a",
        tmp_path / "b",
    ]
    assert {stat.S_IMODE(place.stat().st_mode) for place in (folder.path, *places)} == {0o700}
    assert len(folder.settings["spark.python.unix.domain.socket.dir"]) <= 64
    folder.remove()
    assert list(tmp_path.glob("*/*")) == []


def test_a_place_that_cannot_be_used_is_told(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines.engine.run_folder, "_made", None)
    with pytest.raises(session.NoSpark, match=r"/dev/null/x: .*spark\.local\.dir"):
        session.spark_session("local[2]", {"spark.local.dir": "/dev/null/x"})


def test_spark_submit_chooses(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    submitted(monkeypatch, spark_master="yarn", spark_sql_shuffle_partitions="400", spark_sql_session_timeZone="CET")
    session.spark_session()
    assert not {"spark.master", "spark.sql.shuffle.partitions"} & set(asked)
    assert (asked["spark.sql.session.timeZone"], asked["shipped"]) == ("UTC", "yes")


def test_but_an_explicit_master_wins(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    submitted(monkeypatch, spark_master="yarn")
    session.spark_session("local[2]")
    assert asked["spark.master"].startswith("local[2")


def test_launchers_choose_by_their_arguments(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--name x --master k8s://https://there:6443 pyspark-shell")
    session.spark_session()
    assert "spark.master" not in asked
    assert asked["shipped"] == "yes"


@pytest.mark.parametrize(("master", "python"), [("spark://there:7077", "/opt/python"), ("local[2]", sys.executable)])
def test_workers_elsewhere_may_have_another_interpreter(
    asked: dict[str, str], monkeypatch: pytest.MonkeyPatch, master: str, python: str
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/python")
    session.spark_session(master)
    assert os.environ["PYSPARK_PYTHON"] == python
    session.spark_session("spark://there:7077", {"spark.pyspark.python": "./packed/bin/python"})
    assert os.environ["PYSPARK_PYTHON"] == "./packed/bin/python"


def test_connect_is_refused_in_one_sentence(asked: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(session.NoSpark, match="sc://there: Spark Connect is not supported; give the master itself"):
        session.spark_session("sc://there")
    monkeypatch.setenv("SPARK_REMOTE", "sc://elsewhere")
    with pytest.raises(session.NoSpark, match="sc://elsewhere: "):
        session.spark_session()
