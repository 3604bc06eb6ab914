"""The tables of docs/exports.md, from the declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from schemas.exports import ecs, ecs_parts, ocsf, ocsf_parts, timesketch, zeek
from schemas.reference import cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from schemas.exports.model import Field, Mapping

MARK: Final = "<!-- from here on made from schemas/exports; refresh with make docs -->"
_CHAPTERS: Final = (
    ("zeek-tsv and zeek-json", zeek.STREAMS),
    ("timesketch", timesketch.EVENTS),
    (f"ecs ({ecs_parts.VERSION})", ecs.DOCUMENTS),
    (f"ocsf ({ocsf_parts.VERSION})", ocsf.EVENTS),
)


def markdown() -> str:
    """What follows the mark."""
    lines = [MARK, ""]
    for chapter, mappings in _CHAPTERS:
        lines += [f"## Fields of {chapter}", ""]
        for mapping in mappings:
            lines += [*_mapping(mapping), ""]
    return "\n".join(lines)


def refreshed(page: str) -> str:
    return page.partition(MARK)[0] + markdown()


def _mapping(mapping: Mapping) -> Iterator[str]:
    yield f"### {mapping.name}, from `{mapping.table}`"
    yield ""
    yield " ".join((mapping.doc, *_which(mapping)))
    yield ""
    yield from ("| field | from | |", "|---|---|---|")
    for field in mapping.fields:
        sources = _names(field.sources)
        yield f"| `{field.target}` | {sources} | {cell(_made(field))} |"


def _which(mapping: Mapping) -> Iterator[str]:
    if mapping.only:
        yield f"Which: {_lower(_doc(mapping.only.holds))}"
    if mapping.once:
        yield f"Of rows that are the same in {_names(mapping.once)} the first is told."
    if mapping.unless:
        tables = dict.fromkeys(lookup.table for lookup in mapping.unless)
        yield f"Left out where an event from another table tells it: {_names(tables)}."
    if mapping.timed_by:
        yield f"Rows without `{mapping.timed_by}` are left out."


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _made(field: Field) -> str:
    if field.convert:
        return _doc(field.convert)
    if field.sources:
        return ""
    return "unset" if field.always is None else f"always {_shown(field.always)}"


def _shown(value: Any) -> str:  # noqa: ANN401 - a constant of any type
    if isinstance(value, list):
        return ", ".join(map(_shown, value)) or "empty"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _doc(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").partition("\n")[0]


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
