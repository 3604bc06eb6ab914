"""Calls of COM objects in the captures beside the project, with their stubs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final
from unittest import mock

import pytest

from ingest.choice import Choice, Scope
from pipelines.calls.batches import CallBatches
from tests.conftest import ROOT
from tests.local import Local

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from decoders.dcerpc.call_model import Call
    from pipelines.calls.connection import PlacedCall
    from pipelines.connections.decoding import Batch

SHARED: Final = ROOT.parent / "shared"
FOLDERS: Final = ("captures-dcom", "captures")
ORPCTHIS_BYTES: Final = 32
ORPCTHAT_BYTES: Final = 8
"""Without extensions, which none of these calls has."""

needed = pytest.mark.skipif(not (SHARED / FOLDERS[0]).is_dir(), reason="the captures are not there")


@cache
def calls_of(path: Path) -> tuple[Call, ...]:
    """Those with an object UUID."""
    seen: list[Call] = []
    add = CallBatches.add

    def noted(batches: CallBatches, placed: PlacedCall) -> Iterator[Batch]:
        seen.append(placed.call)
        return add(batches, placed)

    with mock.patch.object(CallBatches, "add", noted):
        Local(path, choice=Choice(Scope.RPC), in_bulk=False)
    return tuple(call for call in seen if call.object_uuid)


def all_calls() -> Iterator[Call]:
    for folder in FOLDERS:
        for path in sorted((SHARED / folder).iterdir()):
            if path.suffix in (".cap", ".pcap", ".pcapng"):
                yield from calls_of(path)
