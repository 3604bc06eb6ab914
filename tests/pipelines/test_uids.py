from __future__ import annotations

import re

from schemas.uids import call_uid, connection_uid

LOW, HIGH = (b"\x0a\0\0\1", 2103), (b"\x0a\0\0\2", 50_000)


def test_has_the_shape_of_zeeks() -> None:
    assert re.fullmatch(r"C[0-9A-Za-z]{10,17}", connection_uid(LOW, HIGH, 1_700_000_000, 7, 0))


def test_never_changes() -> None:
    """People cite these ids in their notes."""
    assert connection_uid(LOW, HIGH, 1_700_000_000, 7, 0) == "C1BjFcD146yXXBbOfQ"


def test_every_fact_counts() -> None:
    variants = [
        (LOW, HIGH, 1, 2, 3),
        (HIGH, LOW, 1, 2, 3),
        (LOW, HIGH, 9, 2, 3),
        (LOW, HIGH, 1, 9, 3),
        (LOW, HIGH, 1, 2, 9),
    ]
    assert len({connection_uid(*facts) for facts in variants}) == len(variants)


def test_call_id_depends_on_connection_direction_and_offset_only() -> None:
    one = call_uid("Cabc", from_orig=True, offset=72)
    assert one == call_uid("Cabc", from_orig=True, offset=72)
    others = {
        call_uid("Cabd", from_orig=True, offset=72),
        call_uid("Cabc", from_orig=False, offset=72),
        call_uid("Cabc", from_orig=True, offset=73),
    }
    assert len(others | {one}) == 4
