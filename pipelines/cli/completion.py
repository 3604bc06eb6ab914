"""mqtrail completion: what a shell needs to complete our commands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from pipelines.cli.parser import options, positionals, sentences, subcommands

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

_BASH: Final = """\
# bash completion of mqtrail: eval "$(mqtrail completion bash)"
_mqtrail() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
    local command="${COMP_WORDS[1]}" words="" values=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="%(commands)s"
    else
        case "$command $before" in
%(values)s
        esac
        case "$command" in
%(options)s
        esac
    fi
    COMPREPLY=($(compgen -W "${values:-$words}" -- "$word"))
}
complete -o default -F _mqtrail mqtrail
"""
_ZSH: Final = """\
# zsh completion of mqtrail: eval "$(mqtrail completion zsh)"
autoload -U +X bashcompinit && bashcompinit
"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("completion", help="print shell completion")
    parser.add_argument("shell", choices=SHELLS, help="whose completion to print")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    from pipelines.cli import parser  # noqa: PLC0415 - this module is one of its commands

    print(SHELLS[given.shell](parser()), end="")
    return 0


def _bash(parser: argparse.ArgumentParser) -> str:
    commands = subcommands(parser)
    told = {
        "commands": " ".join([*commands, "--help", "--version"]),
        "options": "\n".join(f'            {name}) words="{_words(one)}" ;;' for name, one in commands.items()),
        "values": "\n".join(_values(commands)),
    }
    return _BASH % told


def _zsh(parser: argparse.ArgumentParser) -> str:
    return _ZSH + _bash(parser)


def _words(parser: argparse.ArgumentParser) -> str:
    """Options, subcommands of its own, and what its arguments may be."""
    found = [string for action in options(parser) for string in action.option_strings]
    found += subcommands(parser)
    found += [str(choice) for action in positionals(parser) for choice in action.choices or ()]
    return " ".join(found)


def _values(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    for name, parser in commands.items():
        for action in options(parser):
            if action.choices:
                choices = " ".join(map(str, action.choices))
                cases = "|".join(f'"{name} {string}"' for string in action.option_strings)
                yield f'            {cases}) values="{choices}" ;;'


def _fish(parser: argparse.ArgumentParser) -> str:
    lines = ["# fish completion of mqtrail: mqtrail completion fish | source"]
    said = sentences(parser)
    for name, one in subcommands(parser).items():
        lines.append(f"complete -c mqtrail -n __fish_use_subcommand -a {name} -d {shlex.quote(said[name])}")
        for action in options(one):
            lines += _fish_options(name, action)
    return "\n".join(lines) + "\n"


def _fish_options(command: str, action: argparse.Action) -> Iterator[str]:
    condition = shlex.quote(f"__fish_seen_subcommand_from {command}")
    said = shlex.quote((action.help or "").replace("%(default)s", str(action.default)))
    takes = "" if action.nargs == 0 else " -r"
    values = f" -xa {shlex.quote(' '.join(map(str, action.choices)))}" if action.choices else takes
    for string in action.option_strings:
        kind = "-l" if string.startswith("--") else "-s"
        yield f"complete -c mqtrail -n {condition} {kind} {string.lstrip('-')}{values} -d {said}"


SHELLS: Final[Mapping[str, Callable[[argparse.ArgumentParser], str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
