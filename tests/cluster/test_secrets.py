"""Secrets reach the workers of a cluster that is guarded; one that is not is refused without Spark elsewhere."""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING

from pyarrow import parquet

from tests.cluster.standalone import cluster
from tests.cluster.test_standalone import MAIN, run
from tests.conftest import ROOT
from tests.java import java_tool_options
from tests.scripts.ntlm import PASSWORD
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path


def test_workers_of_a_guarded_cluster_unseal(tmp_path: Path) -> None:
    settings = {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(16),
        "spark.network.crypto.enabled": "true",
    }
    defaults = "".join(f"{key} {value}\n" for key, value in settings.items())
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(defaults)
    known = tmp_path / "secrets.toml"
    known.write_text(f'[[account]]\nusername = "alice"\npassword = "{PASSWORD}"\n')
    known.chmod(0o600)
    packets, out = capture(tmp_path, "connect auth privacy\nRemoteQMOpenQueue"), tmp_path / "out"
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    environment = {
        **kept,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(tmp_path / "conf"),
        "JAVA_TOOL_OPTIONS": java_tool_options(),
    }
    with cluster(tmp_path / "daemons", defaults) as master:
        arguments = ["analyze", str(packets), "--out", str(out), "--master", master, "--secrets", str(known)]
        run([sys.executable, "-c", MAIN, *arguments, "--no-check", "--no-report", "--debug"], environment, tmp_path)
    (call,) = parquet.read_table(out / "tables" / "calls").to_pylist()
    assert (call["username"], call["unsealed"], call["verified"]) == ("alice", True, True)
    for file in (tmp_path / "daemons").rglob("*"):
        if file.is_file():
            assert PASSWORD.encode() not in file.read_bytes(), file
