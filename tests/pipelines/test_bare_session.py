"""A session of ours has what it was told to have, and nothing that jars bring along."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

import pytest

pytestmark = pytest.mark.spark

_EXTENSION: Final = "org.apache.spark.sql.ml.InternalFunctionRegistration"
_PROGRAM: Final = """
import json, sys
from pyspark.sql import SparkSession
from pipelines.engine.bare_session import make_bare

settings = json.loads(sys.argv[1])
make_bare(settings)
builder = SparkSession.builder
for key, value in settings.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
analysis = session._jvm.org.apache.spark.sql.catalyst.analysis
known = getattr(getattr(analysis, "FunctionRegistry$"), "MODULE$").internal().listFunction().mkString(" ")
zone = session.conf.get("spark.sql.session.timeZone")
print(json.dumps([zone, session.range(3).count(), "vector_to_array" in known]))
"""


@pytest.mark.parametrize(("more", "has_mllib"), [({}, False), ({"spark.sql.extensions": _EXTENSION}, True)])
def test_it_has_what_was_asked_for_and_no_more(more: dict[str, str], has_mllib: bool) -> None:
    settings = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC", **more}
    command = [sys.executable, "-c", _PROGRAM, json.dumps(settings)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(said.splitlines()[-1]) == ["UTC", 3, has_mllib]
