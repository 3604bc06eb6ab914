"""mqtrail rules: the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.cli.exit_codes import ExitCode, Stop

if TYPE_CHECKING:
    import argparse


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("rules", help="the rule catalogue")
    parser.set_defaults(run=_list)
    actions = parser.add_subparsers(metavar="ACTION")
    actions.add_parser("list", help="all rules, a line each (the default)").set_defaults(run=_list)
    show = actions.add_parser("show", help="one rule in full")
    show.add_argument("rule", metavar="ID")
    show.set_defaults(run=_show)
    actions.add_parser("reasons", help="why a rule may not be decidable").set_defaults(run=_reasons)
    actions.add_parser("lint", help="check the catalogue itself").set_defaults(run=_lint)


def _list(_: argparse.Namespace) -> int:
    from pipelines.rules.catalogue import RULES  # noqa: PLC0415 - `mqtrail --help` needs no catalogue

    width = max(len(rule.id) for rule in RULES)
    for rule in RULES:
        print(f"{rule.id:<{width}}  {rule.level:<13}  {rule.party:<6}  {rule.title}")
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    from pipelines.rules.catalogue import BY_ID  # noqa: PLC0415
    from pipelines.rules.pages import rule_text  # noqa: PLC0415

    if options.rule not in BY_ID:
        raise Stop(ExitCode.USAGE, f"there is no rule {options.rule}; `mqtrail rules list` shows them all")
    print(rule_text(BY_ID[options.rule]), end="")
    return ExitCode.DONE


def _reasons(_: argparse.Namespace) -> int:
    from pipelines.facts.reasons import REASONS  # noqa: PLC0415

    width = max(map(len, REASONS))
    print("\n".join(f"{reason:<{width}}  {meaning}" for reason, meaning in REASONS.items()))
    return ExitCode.DONE


def _lint(_: argparse.Namespace) -> int:
    from pipelines.rules.catalogue import RULES  # noqa: PLC0415
    from pipelines.rules.lint import problems  # noqa: PLC0415

    found = list(problems(RULES))
    print("\n".join(found) if found else f"{len(RULES)} rules, nothing to object to")
    return ExitCode.UNEXPECTED if found else ExitCode.DONE
