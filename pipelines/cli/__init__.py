"""The command `mqtrail`: one module a subcommand."""

from __future__ import annotations

import logging
import signal
import sys
import traceback
from typing import TYPE_CHECKING

from pipelines.cli import (
    analyze,
    check,
    completion,
    export,
    inspect,
    prune,
    publish,
    report,
    rules,
    schema,
    show,
    verify,
)
from pipelines.cli.ending import be_silent, end_when_asked, say_interrupted
from pipelines.cli.exit_codes import ExitCode, Stop
from pipelines.cli.parser import parser_of
from pipelines.cli.printable import warn
from pipelines.engine.java_process import how_java_ended

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_FULL = (
    "a disk is full: that of the output folder, or Spark's own (/tmp, or --spark-conf spark.local.dir=DIR); "
    "nothing was changed. Free some space and run again."
)
COMMANDS = (analyze, show, report, check, export, publish, verify, prune, inspect, rules, schema, completion)


def parser() -> argparse.ArgumentParser:
    return parser_of(COMMANDS)


def main(arguments: Sequence[str] | None = None, *, program: bool = False) -> int:
    """`program`: the process ends with the command, so that nobody else wants its Spark."""
    options = parser().parse_args(arguments)
    options.program = program
    end_when_asked()
    if not getattr(options, "debug", False):
        # Without a handler, what libraries log at an interrupt goes to stderr, traceback and all.
        logging.getLogger().addHandler(logging.NullHandler())
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code  # noqa: TRY300 - what is flushed may fail like what is printed
    except BrokenPipeError:
        # Whoever reads the output, `head` for one, has enough.
        be_silent()
        return 128 + signal.SIGPIPE
    except Stop as stop:
        warn(f"{stop}", *stop.details)
        return stop.code
    except KeyboardInterrupt:
        say_interrupted()
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a sentence for the user, the trace for us
        if getattr(options, "debug", False):
            traceback.print_exc()
        if "No space left on device" in str(error):
            warn(f"{_FULL}")
            return ExitCode.UNEXPECTED
        if ended := how_java_ended():
            warn(f"{ended} before the run was done; nothing was written")
            return ExitCode.UNEXPECTED
        from pipelines.facts.stored_form import NewerFact  # noqa: PLC0415 - no command but a failing one needs it

        if newer := NewerFact.sentence_in(str(error)):
            warn(newer)
            return ExitCode.USAGE
        first_line = str(error).splitlines()[0] if str(error) else type(error).__name__
        warn(f"unexpected: {first_line}", "Run again with --debug for the details.")
        return ExitCode.UNEXPECTED
