"""Sentences with links, for the page to show: text comes as text, whatever it holds."""

from __future__ import annotations

from typing import Any, TypeAlias
from urllib.parse import quote

Row = dict[str, Any]
Part: TypeAlias = str | list[str]
"""Text; or a text and where it leads within the report. A level stands for itself."""
Sentence: TypeAlias = list[Part]


def link(text: str, *place: str) -> Part:
    return [text, "/".join(quote(part, safe="") for part in place)]


def sentence(*parts: Part) -> Sentence:
    """Neighbouring texts put together."""
    found: Sentence = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part:
            found.append(part)
    return found


def level_mark(level: str) -> Part:
    return ["", "", level]


def queue_link(name: str, server: str) -> Part:
    return link(name, "queue", name, server)


def host_link(address: str) -> Part:
    return link(address, "host", address)


def object_link(row: Row) -> Part:
    """What a row is about: a queue, or something that has no page."""
    return queue_link(row["queue"], row["server"]) if row["queue"] else row["object"] or "something"


def user_link(user: str) -> Part:
    return link(user, "user", user)


def plain(sentence: Sentence) -> str:
    return "".join(part if isinstance(part, str) else part[0] for part in sentence)


def enumerated(sentences: list[Sentence]) -> Sentence:
    """One, two and three."""
    found: list[Any] = []
    for place, one in enumerate(sentences):
        joint = "" if not place else " and " if place == len(sentences) - 1 else ", "
        found += [joint, *one]
    return sentence(*found)
