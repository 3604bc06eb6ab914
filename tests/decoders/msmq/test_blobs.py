"""Properties that are tables in themselves: right ones, and each way to be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.limits import MAX_PROPERTY_ROWS
from decoders.msmq.blobs import (
    CONNECTION_STATUS,
    ConnectionRecord,
    EodSource,
    SequenceInfo,
    connection_history,
    eod_source_info,
    sequence_info,
)
from tests.decoders.msmq.values import Value, variant

GUID = "ae0c5671-f190-12ce-ae10-00dd0114290f"
VARIANTS = "VT_VECTOR|VT_VARIANT"
TEXTS = "VT_VECTOR|VT_LPWSTR"


def test_sequence_info_is_three_little_endian_numbers() -> None:
    blob = bytes.fromhex("feffffffffffffff 05000000 04000000")
    assert sequence_info(blob) == (SequenceInfo(-2, 5, 4), "")


@pytest.mark.parametrize("blob", [None, b"", bytes(15), bytes(17)])
def test_a_blob_of_another_size_is_no_sequence_info(blob: bytes | None) -> None:
    value, reason = sequence_info(blob)
    assert value is None
    assert reason.endswith("SEQUENCE_INFO of 16")


def eod(**changed: Value) -> Value:
    columns = {
        "names": variant(TEXTS, ["DIRECT=OS:a\\q", None]),
        "senders": variant("VT_VECTOR|VT_CLSID", [GUID, GUID]),
        "sequences": variant("VT_VECTOR|VT_UI8", [2**40, 1]),
        "numbers": variant("VT_VECTOR|VT_UI4", [7, 8]),
        "times": variant("VT_VECTOR|VT_I4", [1_700_000_000, 0]),
        "rejected": variant("VT_VECTOR|VT_UI4", [0, 3]),
    }
    return variant(VARIANTS, list((columns | changed).values()))


def test_a_source_is_a_row() -> None:
    assert eod_source_info(eod()) == (
        [EodSource("DIRECT=OS:a\\q", GUID, 2**40, 7, 1_700_000_000, 0), EodSource(None, GUID, 1, 8, 0, 3)],
        "",
    )


def test_no_sources_are_no_rows() -> None:
    kinds = (TEXTS, *(f"VT_VECTOR|VT_{kind}" for kind in ("CLSID", "UI8", "UI4", "I4", "UI4")))
    assert eod_source_info(variant(VARIANTS, [variant(kind, []) for kind in kinds])) == ([], "")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "nothing instead of VT_VECTOR|VT_VARIANT"),
        (variant("VT_NULL"), "VT_NULL instead of VT_VECTOR|VT_VARIANT"),
        (variant(VARIANTS, [variant(TEXTS, [])]), "1 items instead of 6"),
        (eod(numbers=variant("VT_VECTOR|VT_I4", [7, 8])), "item 3 is VT_VECTOR|VT_I4 instead of VT_VECTOR|VT_UI4"),
        (eod(rejected=variant("VT_VECTOR|VT_UI4", [0])), "the items differ in length: 2, 2, 2, 2, 2, 1"),
        (eod(times=variant("VT_VECTOR|VT_I4", [1, None])), "entry 1 is incomplete"),
        (
            eod(numbers={"vt": 0x1013, "_varUnion": {"caul": {"cElems": 2, "pElems": None}}}),
            "item 3 was not reached",
        ),
    ],
)
def test_a_wrong_shape_has_a_reason(value: Value, reason: str) -> None:
    assert eod_source_info(value) == (None, reason)


def test_rows_are_limited() -> None:
    count = MAX_PROPERTY_ROWS + 1
    value, reason = connection_history(
        history([0] * count, [0] * count, [0] * count, variant(VARIANTS, [variant(TEXTS, [])] * count))
    )
    assert value is None
    assert reason == f"{count} entries are more than {MAX_PROPERTY_ROWS}"


def history(status: list[int], times: list[int], errors: list[int], addresses: Value) -> Value:
    kinds = ("VT_VECTOR|VT_UI4", "VT_VECTOR|VT_I4", "VT_VECTOR|VT_I4")
    columns = [variant(kind, values) for kind, values in zip(kinds, (status, times, errors), strict=True)]
    return variant(VARIANTS, [*columns, addresses])


def test_a_connection_is_a_row() -> None:
    addresses = variant(VARIANTS, [variant(TEXTS, ["10.0.0.1", "\\\\srv"]), variant("VT_LPWSTR", "10.0.0.2")])
    value = history([2, 0x80000004], [1_700_000_000, 1_700_000_060], [0, 0xC00E0003 - 2**32], addresses)
    assert connection_history(value) == (
        [
            ConnectionRecord(2, "established", 1_700_000_000, 0, None, ("10.0.0.1", "\\\\srv")),
            ConnectionRecord(
                0x80000004,
                "failed: connect socket",
                1_700_000_060,
                0xC00E0003 - 2**32,
                "MQ_ERROR_QUEUE_NOT_FOUND",
                ("10.0.0.2",),
            ),
        ],
        "",
    )


def test_one_address_an_entry_may_stand_in_a_plain_vector() -> None:
    rows, reason = connection_history(history([77], [1], [0], variant(TEXTS, ["10.0.0.1"])))
    assert (rows, reason) == ([ConnectionRecord(77, None, 1, 0, None, ("10.0.0.1",))], "")


def test_addresses_must_be_as_many_as_entries() -> None:
    rows, reason = connection_history(history([1], [1], [0], variant(TEXTS, [])))
    assert (rows, reason) == (None, "there is not one list of addresses an entry")


def test_no_history_is_no_rows() -> None:
    assert connection_history(history([], [], [], variant(VARIANTS, []))) == ([], "")


def test_a_failure_has_the_highest_bit() -> None:
    assert all((code >> 31) == name.startswith("failed") for code, name in CONNECTION_STATUS.items())


SHAPES = st.recursive(
    st.none() | st.integers(-3, 3) | st.text(max_size=2) | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.builds(
            variant,
            st.sampled_from([VARIANTS, TEXTS, "VT_VECTOR|VT_UI4", "VT_VECTOR|VT_I4", "VT_UI4"]),
            st.lists(inner, min_size=3, max_size=6) | inner,
        )
    ),
    max_leaves=12,
)


@given(st.builds(variant, st.just(VARIANTS), st.lists(SHAPES, min_size=4, max_size=6)))
def test_any_shape_gives_rows_or_a_reason(value: Value) -> None:
    for rows, reason in (eod_source_info(value), connection_history(value)):
        assert (rows is None) == bool(reason)
