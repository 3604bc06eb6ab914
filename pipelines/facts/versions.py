"""Versions that hosts said they have. A host may serve here and be a client there, so they are known to every task."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.model import CallFact
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.vocabulary import MQ_OK, QUERY_REGISTRY, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import Fact, Values
    from schemas.internal_rows import VersionRow

_VERSION_TEXT: Final = 3
"""dwQueryType."""
AS_WRITTEN: Final = re.compile(r"\d{1,4}(\.\d{1,4}){2}", re.ASCII)
"""[MS-MQMP] 3.1.4.23."""
_AS_TOLD: Final = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,5}", re.ASCII)
"""The document has four digits for a build; products since Windows 10 have five."""


class Version(NamedTuple):
    """As RemoteQmGetVersion answers ([MS-MQQP] 3.1.4.9), or R_QMQueryQMRegistryInternal in words."""

    major: int
    minor: int
    build: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.build}"


FIRST_BY_CONTEXT: Final = Version(5, 1, 0)
"""Windows XP."""


def goes_by_queue(server: Version | None) -> bool | None:
    """[MS-MQQP] notes <13> and <15>: Windows NT and 2000 know an open queue by hQueue, later ones by dwpContext."""
    return None if server is None else server < FIRST_BY_CONTEXT


class Versions:
    """Those of the connections at hand, each once."""

    def __init__(self) -> None:
        self._found: set[tuple[str, Version]] = set()

    def note(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if isinstance(fact, CallFact) and (version := said_version(fact)) is not None:
                self._found.add((fact.server, version))

    def rows(self) -> list[VersionRow]:
        return [
            {"host": host, "major": major, "minor": minor, "build": build}
            for host, (major, minor, build) in sorted(self._found)
        ]


def version_in(text: str) -> Version | None:
    """What is known of Windows 2000 has commas and four numbers, of message queuing and not of Windows: no version."""
    return Version(*map(int, text.split("."))) if _AS_TOLD.fullmatch(text) else None


def opened_as(call: CallFact) -> Version | None:
    """The client's version, as it says when it opens a queue: [MS-MQRR] 3.1.4.2."""
    said = call.request
    if call.source != BindingSource.BIND or request_hidden(call) is not None or said is None:
        return None
    return Version(said.get("Major", 0), said.get("Minor", 0), said.get("BuildNumber", 0))


def said_version(call: CallFact) -> Version | None:
    """The server's."""
    said = call.response
    if call.source != BindingSource.BIND or response_hidden(call) is not None or not said:
        return None
    if call.method == VERSION:
        return Version(said.get("pMajor", 0), said.get("pMinor", 0), said.get("pBuildNumber", 0))
    return _in_words(call, said) if call.method == QUERY_REGISTRY and call.status == MQ_OK else None


def _in_words(call: CallFact, said: Values) -> Version | None:
    """[MS-MQMP] 3.1.4.23. Servers without RemoteQmGetVersion tell theirs in no other way."""
    asked = (call.request or {}).get("dwQueryType") if request_hidden(call) is None else None
    return version_in(str(said.get("lplpMQISServer", ""))) if asked == _VERSION_TEXT else None


def known_versions(rows: Iterable[VersionRow]) -> dict[str, Version]:
    """Of hosts that always said the same: who says two things has said neither."""
    said: dict[str, set[Version]] = defaultdict(set)
    for row in rows:
        said[row["host"]].add(Version(row["major"], row["minor"], row["build"]))
    return {host: versions.pop() for host, versions in said.items() if len(versions) == 1}
