"""Lines of JSON that other tools know: Zeek, Timesketch, Elastic, OCSF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.exports.mapped import flat_events, nested
from pipelines.exports.text import json_text

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.exports.model import Mapping


def flat_lines(folder: str, mapping: Mapping, untimed: Counter[str]) -> Iterator[str]:
    """Dotted names, without nulls."""
    for values in flat_events(folder, mapping, untimed):
        yield json_text({name: value for name, value in values if value is not None})


def nested_lines(folder: str, mapping: Mapping, untimed: Counter[str]) -> Iterator[str]:
    """Objects within objects, without nulls."""
    for values in flat_events(folder, mapping, untimed):
        yield json_text(nested(values))
