"""The argument parser of all commands, for the program itself, its completion and its reference page."""

from __future__ import annotations

import argparse

from pipelines.store.version import VERSION


def parser_of(commands: tuple[object, ...]) -> argparse.ArgumentParser:
    """`commands`: modules with a function `add`."""
    parser = argparse.ArgumentParser(
        prog="mqtrail",
        description="Wire captures of MSMQ's DCE/RPC traffic, turned into facts an investigator can stand behind.",
    )
    parser.add_argument("--version", action="version", version=f"mqtrail {VERSION}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in commands:
        command.add(subparsers)  # type: ignore[attr-defined]
    return parser


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Of a parser, by name; none where it has no subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def sentences(parser: argparse.ArgumentParser) -> dict[str, str]:
    """What each subcommand does, as the list of commands has it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {one.dest: one.help or "" for one in action._choices_actions}
    return {}


def options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def positionals(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]
