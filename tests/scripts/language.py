"""Scripts to statements. The grammar stands in the package's docstring."""

from __future__ import annotations

import ipaddress
import re
import uuid
from typing import TYPE_CHECKING, Any, Final

from decoders.registry import BY_NAME, REGISTRY
from tests.scripts.ntlm import VERSIONS
from tests.scripts.statements import (
    Alter,
    Answer,
    Ask,
    Call,
    Callback,
    Close,
    Connect,
    GiveUp,
    Reset,
    ScriptError,
    Side,
    Statement,
    Wait,
    Written,
)
from tests.scripts.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

AUTH_LEVELS: Final = {"none": 0, "connect": 2, "packet": 4, "integrity": 5, "privacy": 6}
LOSABLE: Final = frozenset(("syn", "syn_ack", "ack", "bind", "bind_ack", "bind_nak", "auth3"))
_SYNTAXES: Final = frozenset(("ndr", "ndr64"))
ALTERING: Final = frozenset(("alter", "alter_resp"))
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s|m|h)")
_REPEAT: Final = re.compile(r"\s*repeat (\d{1,4}) (.*)")
_UNITS: Final = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}


def parse(script: str, first: int = 1) -> list[Statement]:
    """`first` is the number of its first line."""
    found = []
    for line, text in enumerate(script.splitlines(), first):
        times, text = _repeated(text)
        try:
            tokens = Tokens(text)
            if not tokens.at_end:
                found += [_statement(line, tokens)] * times
                tokens.end()
        except ScriptError as error:
            raise ScriptError(f"line {line}: {error}") from None
    return found


def _repeated(text: str) -> tuple[int, str]:
    found = _REPEAT.fullmatch(text)
    return (int(found[1]), found[2]) if found else (1, text)


def _statement(line: int, tokens: Tokens) -> Statement:
    connection = None
    word = tokens.word("a statement")
    if word.endswith(":") and len(word) > 1:
        connection, word = word[:-1], tokens.word("an operation")
    verb = _VERBS.get(word)
    if verb is None:
        ask = Ask(line, connection, word, _side(tokens, _LEFT))
        return Call(line, ask, _answered(tokens))
    if connection is not None and word not in ("ask", "answer", "callback", "cancel", "orphan"):
        raise ScriptError(f"{word!r} takes no connection in front")
    return verb(line, connection, tokens)


def _connect(line: int, tokens: Tokens, *, refused: bool) -> Connect:
    return Connect(line, refused=refused, **_options(tokens, frozenset(_OPTIONS) | {"midstream"}, LOSABLE))


def _alter(line: int, _: str | None, tokens: Tokens) -> Alter:
    given = _options(tokens, _OF_CONTEXTS, ALTERING)
    return Alter(line, given.pop("name", None), **given)


def _options(tokens: Tokens, known: frozenset[str], losable: frozenset[str]) -> dict[str, Any]:
    """And the name in front of them."""
    given: dict[str, Any] = {}
    lose: set[str] = set()
    first = True
    while not tokens.at_end:
        word = tokens.word("an option")
        if word == "lose":
            lose |= {_one_of(losable, "a packet of the opening")(what) for what in tokens.words("what is lost")}
        elif word == "midstream" and word in known:
            given["midstream"] = True
        elif word in known:
            name, read = _OPTIONS[word]
            given[name] = read(tokens.word(f"the value of {word!r}"))
        elif first:
            given["name"] = word
        else:
            raise ScriptError(f"{word!r} is not an option of a connection")
        first = False
    return {"lose": frozenset(lose), **given}


def _ask(line: int, connection: str | None, tokens: Tokens) -> Ask:
    label, operation = tokens.word("a label"), tokens.word("an operation")
    return Ask(line, connection, operation, _side(tokens, _LEFT), label)


def _answer(line: int, connection: str | None, tokens: Tokens) -> Answer:
    _without(connection)
    return Answer(line, tokens.word("a label"), _answered(tokens))


def _callback(line: int, connection: str | None, tokens: Tokens) -> Callback:
    _without(connection)
    return Callback(line, _ask(line, None, tokens), _answered(tokens))


def _without(connection: str | None) -> None:
    if connection is not None:
        raise ScriptError("the label says the connection already")


def _give_up(about: str) -> Callable[[int, str | None, Tokens], GiveUp]:
    def read(line: int, connection: str | None, tokens: Tokens) -> GiveUp:
        _without(connection)
        return GiveUp(line, tokens.word("a label"), about)

    return read


def _close(line: int, _: str | None, tokens: Tokens) -> Close:
    return Close(line, *_ended(tokens))


def _reset(line: int, _: str | None, tokens: Tokens) -> Reset:
    return Reset(line, *_ended(tokens))


def _ended(tokens: Tokens) -> tuple[str | None, bool]:
    """The connection's name, and whether its server ends it."""
    words = [] if tokens.at_end else [tokens.word("a connection")]
    while not tokens.at_end:
        words.append(tokens.word("'by server'"))
    by_server = words[-2:] == ["by", "server"]
    names = words[:-2] if by_server else words
    if len(names) > 1:
        raise ScriptError(f"{names[1]!r} is not 'by server'")
    return names[0] if names else None, by_server


def _wait(line: int, _: str | None, tokens: Tokens) -> Wait:
    return Wait(line, _duration(tokens.word("a duration")))


_LEFT: Final = frozenset(("lost",))
_RIGHT: Final = frozenset(("lost", "none", "after"))


def _answered(tokens: Tokens) -> Side:
    return _side(tokens, _RIGHT) if tokens.arrow() else Side()


def _side(tokens: Tokens, flags: frozenset[str]) -> Side:
    values: dict[str, Written] = {}
    said: dict[str, Any] = {}
    while not tokens.at_end and not tokens.at_arrow:
        word = tokens.word("a name")
        if tokens.mark("="):
            if word in values:
                raise ScriptError(f"{word!r} is given twice")
            values[word] = _value(tokens, word)
        elif word not in flags:
            raise ScriptError(f"{word!r} has no value and is none of {', '.join(sorted(flags))}")
        elif word == "after":
            said["after_us"] = _duration(tokens.word("a duration"))
        else:
            said[word] = True
    return Side(values, **said)


def _value(tokens: Tokens, name: str) -> Written:
    if not tokens.mark("["):
        return tokens.value(f"the value of {name!r}")
    items: list[Written] = []
    while not tokens.mark("]"):
        if items and not tokens.mark(","):
            raise ScriptError(f"the list of {name!r} lacks a comma or its end")
        items.append(_value(tokens, name))
    return tuple(items)


def _duration(word: str) -> int:
    match = _DURATION.fullmatch(word)
    if match is None:
        raise ScriptError(f"{word!r} is no duration such as 5s, 200ms or 3m")
    return round(float(match[1]) * _UNITS[match[2]])


def _one_of(known: frozenset[str] | Mapping[str, object], what: str) -> Callable[[str], str]:
    def read(word: str) -> str:
        if word not in known:
            raise ScriptError(f"{word!r} is not {what}: {', '.join(sorted(known))}")
        return word

    return read


def _checked(convert: Callable[[str], Any], what: str) -> Callable[[str], Any]:
    def read(word: str) -> object:
        try:
            return convert(word)
        except ValueError:
            raise ScriptError(f"{word!r} is not {what}") from None

    return read


def _interface(word: str) -> str:
    if word in BY_NAME:
        return word
    identifier = str(uuid.UUID(word))
    return REGISTRY[identifier].name if identifier in REGISTRY else identifier


def _version(word: str) -> tuple[int, int]:
    major, minor = word.split(".")
    return int(major), int(minor)


_OPTIONS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "from": ("client", _checked(lambda word: str(ipaddress.ip_address(word)), "an address")),
    "to": ("server", _checked(lambda word: str(ipaddress.ip_address(word)), "an address")),
    "port": ("port", _checked(int, "a port")),
    "interface": ("interface", _checked(_interface, "an interface or a UUID")),
    "version": ("version", _checked(_version, "a version such as 1.0")),
    "syntax": ("syntax", _one_of(_SYNTAXES, "a transfer syntax")),
    "offers": ("offers", lambda word: tuple(map(_one_of(_SYNTAXES, "a transfer syntax"), word.split("/")))),
    "features": ("features", _checked(lambda word: int(word, 0), "a number")),
    "acks": ("acks", _checked(lambda word: int(word, 0), "a number")),
    "rejects": ("rejects", _checked(lambda word: int(word, 0), "a number")),
    "auth": ("auth", _one_of(AUTH_LEVELS, "an authentication level")),
    "user": ("user", str),
    "domain": ("domain", str),
    "workstation": ("workstation", str),
    "password": ("password", str),
    "ntlm": ("ntlm", _one_of(VERSIONS, "a version of NTLM")),
    "group": ("group", str),
    "asks": ("asks", _checked(lambda word: int(word, 0), "a number")),
    "grants": ("grants", _checked(lambda word: int(word, 0), "a number")),
    "cycle": ("cycle", _checked(int, "a number")),
    "source": ("source", _checked(int, "a port")),
    "tap": ("tap", str),
    "reason": ("reason", _checked(lambda word: int(word, 0), "a number")),
}

_OF_CONTEXTS: Final = frozenset(("interface", "version", "syntax", "offers", "grants"))

_VERBS: Final[Mapping[str, Callable[[int, str | None, Tokens], Statement]]] = {
    "connect": lambda line, _, tokens: _connect(line, tokens, refused=False),
    "refuse": lambda line, _, tokens: _connect(line, tokens, refused=True),
    "alter": _alter,
    "ask": _ask,
    "answer": _answer,
    "callback": _callback,
    "cancel": _give_up("cancel"),
    "orphan": _give_up("orphan"),
    "close": _close,
    "reset": _reset,
    "wait": _wait,
}
