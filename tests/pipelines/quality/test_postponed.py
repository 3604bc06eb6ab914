"""A library that is imported when somebody asks for something of it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pipelines.quality.postponed import postponed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_library.py").write_text("VALUE = 7\n")
    (tmp_path / "its_user.py").write_text("import slow_library\n\ndef value():\n    return slow_library.VALUE\n")
    (tmp_path / "its_hasty_user.py").write_text("from slow_library import VALUE\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("slow_library", "its_user", "its_hasty_user"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("modules")
def test_it_is_there_when_it_is_needed() -> None:
    with postponed("slow_library"):
        user = import_module("its_user")
    assert "slow_library" not in sys.modules
    assert user.value() == 7
    assert sys.modules["slow_library"].__file__


@pytest.mark.usefixtures("modules")
def test_at_once_if_need_be() -> None:
    with postponed("slow_library"):
        assert import_module("its_hasty_user").VALUE == 7
    assert import_module("slow_library").__file__


@pytest.mark.usefixtures("modules")
def test_what_is_there_already_stays() -> None:
    library = import_module("slow_library")
    with postponed("slow_library"):
        assert import_module("its_user").slow_library is library


def test_the_gate_needs_neither_plots_nor_statistics_nor_spark(clean: Path) -> None:
    code = (
        "import sys; from pipelines.quality import check_tables\n"
        "assert check_tables(sys.argv[1]).success\n"
        "import pyspark\n"
        "print(sorted({'altair', 'scipy.stats'} & set(sys.modules)), pyspark.SparkContext._active_spark_context)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(clean)], capture_output=True, text=True, check=False, cwd=".", timeout=300
    )
    assert (done.stdout, done.stderr) == ("[] None\n", "")
