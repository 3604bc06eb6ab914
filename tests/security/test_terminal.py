"""Names of files must not move the cursor, clear the screen or turn the writing direction."""

from __future__ import annotations

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


def test_lines_stay_and_bytes_that_are_no_text_are_shown() -> None:
    assert printable("a\nb") == "a\nb"
    assert printable("\udcff") == "\\udcff"
