"""A dataset by the command line: two nights, staged, checked, published, proven."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pipelines.cli import main
from tests.pipelines.rules.removal import records, write

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_two_nights(spark: SparkSession, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, packets = records(sample)
    landing, data = tmp_path / "landing", tmp_path / "data"
    landing.mkdir()

    def mqtrail(*arguments: object) -> tuple[int, str, str]:
        code = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    write(landing / "1.pcap", header, packets[:100])
    code, out, _ = mqtrail("analyze", landing, "--dataset", data, "--case", "C-17")
    assert (code, "0 not" in out) == (0, True)
    assert json.loads((data / "run.json").read_text())["case"] == "C-17"
    assert list((data / "tables" / "calls").glob("date=*"))

    assert mqtrail("analyze", landing, "--dataset", data) == (
        0,
        "nothing new: 1 captures are in the dataset already\n",
        "",
    )
    code, _, err = mqtrail("analyze", landing, "--dataset", data, "--scope", "rpc")
    assert (code, "begun with another scope (msmq)" in err) == (2, True)
    assert mqtrail("publish", data)[1].endswith("nothing is staged\n")

    write(landing / "2.pcap", header, packets[100:])
    code, _, err = mqtrail("analyze", landing, "--dataset", data, "--no-publish")
    assert (code, "mqtrail publish" in err) == (0, True)
    assert json.loads((data / "run.json").read_text())["run"] == 1
    assert mqtrail("check", data, "--staged")[0] == 0
    assert mqtrail("publish", data)[0] == 0
    manifest = json.loads((data / "run.json").read_text())
    assert (manifest["run"], [one["path"] for one in manifest["inputs"]]) == (2, [str(landing / "2.pcap")])
    assert sum(manifest["new_findings"].values()) > 0
    code, out, _ = mqtrail("verify", data)
    assert (code, "2 runs" in out) == (0, True)
    code, out, _ = mqtrail("export", data, "--table", "calls")
    assert (code, len(out.splitlines())) == (0, 46)
    assert mqtrail("analyze", sample, "--out", data, "--force")[0] == 2
    assert mqtrail("prune", data, "--before", "2000-01-01")[0] == 0
