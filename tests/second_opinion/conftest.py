from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.second_opinion import merged
from tests.second_opinion.generated import MADE
from tests.second_opinion.ours import ours
from tests.second_opinion.reuse import REUSED
from tests.second_opinion.tshark import theirs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.second_opinion.opinion import Opinion


@dataclass(frozen=True, slots=True)
class Both:
    """The generated conversations, and what either side says about them."""

    path: Path
    places: dict[str, range]
    ours: Opinion
    theirs: Opinion


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    path = tmp_path_factory.mktemp("generated") / "all.pcap"
    places = merged.write(path, {**MADE, **REUSED})
    return Both(path, places, ours(path), theirs(path, at_most=256))
