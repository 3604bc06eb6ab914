"""The reference page of the command line, made from the parsers: `make docs`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipelines.cli import parser
from pipelines.cli.exit_codes import ExitCode
from pipelines.cli.parser import subcommands

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = "command-line.md"
_WIDTH: Final = "100"
_MEANINGS: Final = {
    ExitCode.DONE: "done",
    ExitCode.UNEXPECTED: "something unexpected: a sentence says what, --debug shows the details",
    ExitCode.USAGE: "wrong use: an option, or an output folder that must not be touched",
    ExitCode.NO_INPUT: "no input was found",
    ExitCode.NO_CAPTURE_READABLE: "no capture could be read",
    ExitCode.INPUT_DAMAGED: "done, but some input was damaged: the table issues says which",
    ExitCode.FINDINGS: "there are findings at or above --fail-on",
    ExitCode.DATA_QUALITY: "the quality gate failed, or a file is not what the manifest says",
}


def page() -> str:
    # argparse wraps by the terminal's width, which must not show.
    before, os.environ["COLUMNS"] = os.environ.get("COLUMNS"), _WIDTH
    try:
        return "\n".join(_lines(parser())) + "\n"
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def _lines(program: argparse.ArgumentParser) -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "What `mqtrail COMMAND --help` says; made from the program, refresh with `make docs`. Data goes to stdout,"
    yield "what is to be told beside it to stderr."
    yield 'Shell completion: `eval "$(mqtrail completion bash)"`, `zsh` or `fish` likewise.'
    for name, one in subcommands(program).items():
        yield from _command(f"mqtrail {name}", one)
    yield from ("", "## Exit codes", "", "| code | meaning |", "|---:|---|")
    yield from (f"| {int(code)} | {meaning} |" for code, meaning in _MEANINGS.items())


def _command(title: str, one: argparse.ArgumentParser) -> Iterator[str]:
    yield from ("", f"## {title}", "", "```", one.format_help().rstrip(), "```")
    for name, inner in subcommands(one).items():
        yield from _command(f"{title} {name}", inner)


def main(folder: Path) -> None:
    (folder / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    main(arguments.parse_args().folder)
