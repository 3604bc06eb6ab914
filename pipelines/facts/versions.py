"""Versions that hosts said they have. A host may serve here and be a client there, so they are known to every task."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts.model import CallFact
from pipelines.facts.vocabulary import MQ_OK, QUERY_REGISTRY, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.facts.model import Fact, Values

Row = dict[str, Any]
_VERSION_TEXT: Final = 3
"""dwQueryType."""
_TEXT: Final = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,5}", re.ASCII)
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

    def rows(self) -> list[Row]:
        return [{"host": host, **version._asdict()} for host, version in sorted(self._found)]


def said_version(call: CallFact) -> Version | None:
    said = call.response
    if call.source != BindingSource.BIND or not call.response_whole or not said:
        return None
    if call.operation == VERSION:
        return Version(said.get("pMajor", 0), said.get("pMinor", 0), said.get("pBuildNumber", 0))
    return _in_words(call, said) if call.operation == QUERY_REGISTRY and call.status == MQ_OK else None


def _in_words(call: CallFact, said: Values) -> Version | None:
    """[MS-MQMP] 3.1.4.23. Servers without RemoteQmGetVersion tell theirs in no other way."""
    text = str(said.get("lplpMQISServer", ""))
    asked = (call.request or {}).get("dwQueryType") if call.request_whole else None
    return Version(*map(int, text.split("."))) if asked == _VERSION_TEXT and _TEXT.fullmatch(text) else None


def known_versions(rows: Iterable[Mapping[str, Any]]) -> dict[str, Version]:
    """Of hosts that always said the same: who says two things has said neither."""
    said: dict[str, set[Version]] = defaultdict(set)
    for row in rows:
        said[row["host"]].add(Version(row["major"], row["minor"], row["build"]))
    return {host: versions.pop() for host, versions in said.items() if len(versions) == 1}
