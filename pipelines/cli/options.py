"""Options of several values, and those that more than one command has."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from ingest.bounds import BOUNDS, Bounds
from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    from decoders.security.accounts import Secret


def spark_settings(given: list[str]) -> dict[str, str]:
    wrong = [setting for setting in given if "=" not in setting]
    if wrong:
        raise Stop(ExitCode.USAGE, f"--spark-conf {wrong[0]}: write it as KEY=VALUE")
    return dict(setting.split("=", 1) for setting in given)


def add_bounds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-inflated",
        type=_number,
        default=BOUNDS.most_bytes,
        metavar="BYTES",
        help="read no more than this of what a compressed capture holds (default: %(default)s)",
    )
    parser.add_argument(
        "--max-inflation",
        type=_number,
        default=BOUNDS.most_times,
        metavar="TIMES",
        help="nor more than so many times its size, or a mebibyte (default: %(default)s)",
    )


def bounds(options: argparse.Namespace) -> Bounds:
    return Bounds(options.max_inflated, options.max_inflation)


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is no number above 0")
    return int(text)


def secrets(path: str | None, *, force: bool) -> tuple[Secret, ...]:
    if path is None:
        return ()
    from pipelines.cli.secrets_file import read_secrets  # noqa: PLC0415
    from pipelines.engine.sealed_secrets import SecretsRefused  # noqa: PLC0415

    try:
        return read_secrets(path, force=force)
    except SecretsRefused as error:
        raise Stop(ExitCode.USAGE, f"--secrets {error}") from None


def thresholds(given: list[str]) -> dict[str, int]:
    from pipelines.rules.catalogue import SETTINGS  # noqa: PLC0415 - `mqtrail --help` needs no catalogue

    chosen = dict(SETTINGS)
    for one in given:
        name, _, value = one.partition("=")
        if name not in SETTINGS:
            there_are = ", ".join(sorted(SETTINGS))
            raise Stop(ExitCode.USAGE, f"--threshold {one}: no rule has it; there are {there_are}")
        if not re.fullmatch("[0-9]{1,12}", value) or not int(value):
            raise Stop(ExitCode.USAGE, f"--threshold {one}: write it as {name}=N, with a number above 0")
        chosen[name] = int(value)
    return chosen
