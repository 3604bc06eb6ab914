"""Every row of differences.toml has a test that shows it, and every such test a row."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from tests.second_opinion.stubs import test_definition_differences as definitions
from tests.second_opinion.stubs import test_impacket_differences as impacket
from tests.second_opinion.stubs import test_stub_differences as scapy
from tests.second_opinion.stubs.corrections import CORRECTED

TABLE: Final = Path(__file__).with_name("differences.toml")


def test_every_row_has_a_test_and_every_test_a_row() -> None:
    with TABLE.open("rb") as file:
        rows = tomllib.load(file)["difference"]
    tested = [name for module in (definitions, impacket, scapy) for name in vars(module) if name.startswith("test_")]
    identifiers = [row["id"] for row in rows]
    assert sorted(f"test_{one.replace('-', '_')}" for one in identifiers) == sorted(tested)
    assert set(identifiers) >= CORRECTED
    assert {row["right"] for row in rows} == {"ours", "open"}
