"""Names of files must not move the cursor, clear the screen or turn the writing direction."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import main
from pipelines.cli.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "evil\x1b[2J\u202e\x07.pcap"


@pytest.mark.parametrize("command", [("analyze",), ("inspect",)])
def test_control_characters_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    (tmp_path / HOSTILE).write_bytes(b"no capture")
    options = ("--out", str(tmp_path / "out")) if command == ("analyze",) else ()
    assert main([*command, str(tmp_path / HOSTILE), *options]) == 11
    said = "".join(capsys.readouterr())
    assert "evil\\u001b[2J" in said
    assert all(letter.isprintable() or letter == "\n" for letter in said)


@pytest.mark.parametrize("command", [("inspect",), ("show",)])
def test_name_of_a_file_forges_no_line(
    tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    (tmp_path / "x\nfindings:   none\n.pcap").write_bytes(sample.read_bytes()[:-7])
    assert main([*command, str(tmp_path)]) == 13
    said = capsys.readouterr()
    assert "findings:   none" not in [*said.out.splitlines(), *said.err.splitlines()]
    assert "x\\nfindings:   none\\n.pcap" in said.out + said.err


def test_names_of_files_that_are_no_captures_forge_no_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x\nfindings:   none").write_bytes(b"no capture")
    assert main(["show", str(tmp_path)]) == 11
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_what_is_escaped() -> None:
    assert printable("a\nb\u2028c") == "a\\nb\\u2028c"
    assert printable("\udcff") == "\\udcff"


def test_what_is_passed_over_in_a_folder_is_told(
    tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in" / ".hidden").mkdir(parents=True)
    (tmp_path / "in" / "a.pcap").write_bytes(sample.read_bytes())
    (tmp_path / "in" / "nowhere.pcap").symlink_to("gone")
    (tmp_path / "in" / "itself.pcap").symlink_to("itself.pcap")
    (tmp_path / "in" / "circle").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "linked.pcap").symlink_to("a.pcap")
    os.mkfifo(tmp_path / "in" / "pipe.pcap")
    assert main(["inspect", str(tmp_path / "in")]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 2
    assert sorted(said.err.splitlines()) == [
        f"mqtrail: {tmp_path}/in/circle: is a link to a folder; name that folder to read what is in it; passed over",
        f"mqtrail: {tmp_path}/in/itself.pcap: is a link that leads nowhere; passed over",
        f"mqtrail: {tmp_path}/in/nowhere.pcap: is a link that leads nowhere; passed over",
        f"mqtrail: {tmp_path}/in/pipe.pcap: is a pipe, socket or device; passed over",
    ]
