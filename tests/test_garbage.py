"""Python looks for garbage seldom in our processes, and leaves others' alone."""

from __future__ import annotations

import gc
import subprocess
import sys

from mqtrail.garbage import collecting

USUAL = 700


def test_a_process_of_ours_collects_seldom() -> None:
    told = "import gc; from mqtrail.garbage import seldom_collect; seldom_collect(); print(gc.get_threshold()[0])"
    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert int(found.stdout) > 100 * USUAL


def test_a_program_that_imports_us_keeps_its_own_way() -> None:
    told = "import gc; before = gc.get_threshold(); import mqtrail; print(before == gc.get_threshold())"
    found = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "True"
    assert gc.isenabled()


def test_off_and_on_again_for_a_while() -> None:
    with collecting(on=False):
        assert not gc.isenabled()
        with collecting(on=True):
            assert gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
