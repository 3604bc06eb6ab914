"""impacket reads extensions of calls as we write them: no real traffic at hand has any."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from impacket.dcerpc.v5.dcomrt import ORPCTHAT, ORPCTHIS
from impacket.dcerpc.v5.ndr import NDRCALL

from decoders.dcom.orpc import ERROR_EXTENSION, write_implicit
from decoders.ndr.model import Direction
from tests.builders import com_values as c

CONTEXT = "00000334-0000-0000-c000-000000000046"


class This(NDRCALL):  # type: ignore[misc]
    structure = (("told", ORPCTHIS),)


class That(NDRCALL):  # type: ignore[misc]
    structure = (("told", ORPCTHAT),)


@pytest.mark.parametrize(
    ("direction", "theirs"), [(Direction.IN, This), (Direction.OUT, That)], ids=["ORPCTHIS", "ORPCTHAT"]
)
@pytest.mark.parametrize(
    ("identifier", "made"),
    [
        (CONTEXT, c.extension(CONTEXT, b"context!12")),
        (ERROR_EXTENSION, c.error_extension("a source", "a description")),
    ],
    ids=["context", "error"],
)
def test_one_extension(direction: Direction, theirs: Any, identifier: str, made: c.Values) -> None:  # noqa: ANN401
    header = c.this(extensions=made) if direction is Direction.IN else c.that(extensions=made)
    found = theirs(write_implicit(direction, header, "<"))["told"]["extensions"]
    (one, nothing) = found["extent"]
    assert (found["size"], str(uuid.UUID(bytes_le=one["id"]))) == (1, identifier)
    assert (one["size"], b"".join(one["data"])) == (made["extent"][0]["size"], made["extent"][0]["data"])
    assert nothing["ReferentID"] == 0, "an even number of them"
