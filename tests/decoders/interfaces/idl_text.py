"""IDL text reduced to what it says: no comments, imports or layout, sorted attributes, every enumerator's value."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_IMPORT = re.compile(r'import\s+"[^"]*"\s*;')
_HEADER = re.compile(r"\[(?P<attributes>[^\]]*)\]\s*interface\s+(?P<name>\w+)(?:\s*:\s*\w+)?\s*\{", re.DOTALL)
_CALLBACK = "[ callback ] "
_TOKEN = re.compile(r"0x[0-9a-fA-F]+|\w+|[^\w\s]")
_ENUM = re.compile(r"(enum \w* ?\{)([^}]*)(\})")


@dataclass(frozen=True)
class Idl:
    header: tuple[str, ...]
    constants: tuple[str, ...]
    types: tuple[str, ...]
    operations: tuple[str, ...]
    callbacks: tuple[str, ...]


def reduced(text: str) -> Idl:
    """Of a file that declares one interface, or types only."""
    *_, only = reduced_file(text).values()
    return only


def reduced_file(text: str) -> dict[str, Idl]:
    """By interface; types and constants are also those that stand before it in the file."""
    text = _IMPORT.sub("", _COMMENT.sub("", text)).strip()
    found: dict[str, Idl] = {}
    before: list[str] = []
    while head := _HEADER.search(text):
        end = _end_of_block(text, head.end())
        outside = _declarations(_attributes_sorted(_TOKEN.findall(text[: head.start()])))
        inside = _declarations(_attributes_sorted(_TOKEN.findall(text[head.end() : end])))
        attributes = sorted(re.sub(r"\s", "", attribute) for attribute in head["attributes"].split(","))
        found[head["name"]] = _sorted_out((head["name"], *attributes), [*before, *outside, *inside])
        before += [each for each in (*outside, *inside) if _is_type(each) or _is_constant(each)]
        text = text[end + 1 :]
    return found or {"": _sorted_out((), _declarations(_attributes_sorted(_TOKEN.findall(text))))}


def _end_of_block(text: str, start: int) -> int:
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    raise AssertionError("the interface does not end")


def _is_type(declaration: str) -> bool:
    return declaration.startswith("typedef")


def _is_constant(declaration: str) -> bool:
    return declaration.startswith("const ")


def _sorted_out(header: tuple[str, ...], declarations: list[str]) -> Idl:
    """A type may be declared between two operations, so the order is kept of each by itself."""
    rest = [each for each in declarations if not _is_type(each) and not _is_constant(each)]
    return Idl(
        header,
        tuple(filter(_is_constant, declarations)),
        tuple(_ENUM.sub(_valued, each) for each in declarations if _is_type(each)),
        tuple(each for each in rest if not each.startswith(_CALLBACK)),
        tuple(each.removeprefix(_CALLBACK) for each in rest if each.startswith(_CALLBACK)),
    )


def _attributes_sorted(tokens: list[str]) -> list[str]:
    """A bracket behind a name is an array's; any other opens attributes, and adjoining lists are one."""
    done: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at] != "[" or (done and re.fullmatch(r"\w+", done[-1]) and done[-1] != "typedef"):
            done.append(_number(tokens[at]))
            at += 1
            continue
        attributes: list[str] = []
        while at < len(tokens) and tokens[at] == "[":
            end = tokens.index("]", at)
            attributes += _split(tokens[at + 1 : end])
            at = end + 1
        done += ["[", ", ".join(sorted(attributes)), "]"]
    return done


def _split(tokens: list[str]) -> list[str]:
    parts, depth = [""], 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == "," and not depth:
            parts.append("")
        else:
            parts[-1] += _number(token)
    return parts


def _declarations(tokens: list[str]) -> list[str]:
    found: list[str] = []
    current: list[str] = []
    depth = 0
    for token in tokens:
        depth += (token in "{(") - (token in "})")
        if token == ";" and not depth:
            found.append(" ".join(current))
            current = []
        else:
            current.append(token)
    assert not current, f"left over: {current}"
    return found


def _number(token: str) -> str:
    return str(int(token, 0)) if re.fullmatch(r"0x[0-9a-fA-F]+|[1-9]\d*|0", token) else token


def _valued(found: re.Match[str]) -> str:
    value = -1
    members = []
    for member in filter(None, (each.strip() for each in found[2].split(","))):
        name, _, written = member.partition(" = ")
        value = int(written) if written else value + 1
        members.append(f"{name} = {value}")
    return f"{found[1]} {', '.join(members)} {found[3]}"
