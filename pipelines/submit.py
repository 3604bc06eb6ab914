"""What spark-submit runs: mqtrail's command line for schedulers.

    spark-submit pipelines/submit.py analyze --captures-from LIST --dataset DIR ...
    spark-submit pipelines/submit.py load --captures-from LIST --dataset DIR [--summary FILE] ...

Two things differ from `mqtrail`. A run that is done exits with 0 also where mqtrail says more with its code (13, 14): a
scheduler takes anything else for a failure and repeats it. And captures may come from a file, a JSON array of paths,
since thousands of them do not fit on a command line.

`load` is analyze --no-publish, check --staged and publish in one application; FILE gets a copy of the manifest then.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mqtrail  # noqa: F401 - first: guards the names of our packages from what lies beside this file
from ingest.files import exists, join, read_bytes
from pipelines.cli import main
from pipelines.cli.exit_codes import ExitCode
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE: Final = {
    ExitCode.DONE: "done",
    ExitCode.INPUT_DAMAGED: "done; some input was damaged",
    ExitCode.FINDINGS: "done; there are findings at or above --fail-on",
}


def submitted(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="submit.py", allow_abbrev=False, add_help=False)
    parser.add_argument("--captures-from", metavar="LIST")
    parser.add_argument("--summary", metavar="FILE")
    options, rest = parser.parse_known_args(arguments)
    if options.captures_from:
        # Absolute, so that no name looks like an option.
        given = json.loads(Path(options.captures_from).read_text(encoding="utf-8"))
        rest += [str(Path(path).absolute()) for path in given]
    if rest[:1] == ["load"]:
        return _load(rest[1:], options.summary)
    return _plain(main(rest))


def _load(arguments: list[str], summary: str | None) -> int:
    """Safe to repeat: what an earlier try staged is replaced, and where it had published nothing is staged."""
    parser = argparse.ArgumentParser(prog="submit.py load", allow_abbrev=False, add_help=False)
    parser.add_argument("--dataset", required=True, metavar="DIR")
    dataset = parser.parse_known_args(arguments)[0].dataset
    if code := _plain(main(["analyze", "--no-publish", *arguments])):
        return code
    if exists(join(DatasetFolder(dataset).staged, MANIFEST)):
        for step in (["check", dataset, "--staged"], ["publish", dataset]):
            if code := _plain(main(step)):
                return code
    if summary:
        Path(summary).write_bytes(read_bytes(join(dataset, MANIFEST)))
    return ExitCode.DONE


def _plain(code: int) -> int:
    if code in DONE:
        print(f"mqtrail: {DONE[ExitCode(code)]}", file=sys.stderr)
        return ExitCode.DONE
    return code


if __name__ == "__main__":
    # Python looks first where the program lies; there, our modules would hide others of the same name.
    sys.path[:] = [entry for entry in sys.path if Path(entry).absolute() != Path(__file__).absolute().parent]
    sys.exit(submitted(sys.argv[1:]))
