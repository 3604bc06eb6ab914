"""Keytabs are read entry by entry, and whatever is wrong with one is told without its keys."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, NotThisFormat, Truncated
from decoders.security import keytab
from decoders.security.accounts import ServiceKey
from decoders.security.keytab import read_keytab
from tests.decoders.security.keytabs import VERSION, deleted, entry

KEY = ServiceKey("HOST/hq.corp.example", "CORP.EXAMPLE", 5, 18, b"hunter2!" * 4)
OTHER = ServiceKey("HQ$", "CORP.EXAMPLE", 0x1_0007, 23, b"swordfish".ljust(16, b"."))
texts = st.text("abcÄß$-.", min_size=1, max_size=8)
keys = st.builds(
    ServiceKey,
    st.lists(texts, min_size=1, max_size=4).map("/".join),
    texts,
    st.integers(1, 0xFFFF_FFFF),
    st.integers(0, 0xFFFF),
    st.binary(max_size=40),
)


@given(st.lists(keys, max_size=5), st.lists(st.integers(1, 60), max_size=5))
def test_entries_and_the_room_of_deleted_ones(there: list[ServiceKey], gone: list[int]) -> None:
    pieces = [entry(key) for key in there]
    for number, size in enumerate(gone):
        pieces.insert(number % (len(pieces) + 1), deleted(size))
    assert read_keytab(VERSION + b"".join(pieces)) == tuple(there)


def test_versions_of_8_and_of_32_bits() -> None:
    data = VERSION + entry(OTHER, wide=False) + entry(OTHER) + entry(OTHER, wide=False, room=bytes(4))
    assert [key.kvno for key in read_keytab(data)] == [7, 0x1_0007, 7]


def test_zeros_behind_the_last_entry_are_its_end() -> None:
    assert read_keytab(VERSION + entry(KEY) + bytes(4) + b"rubbish") == (KEY,)


@pytest.mark.parametrize("data", [b"", b"\x05", b"\x05\x01" + entry(KEY), b"\x05\x03", b"[[account]]"])
def test_other_files_and_versions(data: bytes) -> None:
    with pytest.raises(NotThisFormat, match=r"is no keytab of version 5\.2"):
        read_keytab(data)


def test_cut_at_every_byte_it_is_told_and_no_key_is() -> None:
    whole, first = VERSION + entry(KEY) + entry(OTHER), len(VERSION + entry(KEY))
    for at in range(len(VERSION) + 1, len(whole)):
        if at == first:
            assert read_keytab(whole[:at]) == (KEY,)
            continue
        with pytest.raises(Truncated) as told:
            read_keytab(whole[:at])
        assert not {"hunter2", "swordfish"} & set(str(told.value).split())


def test_entries_cut_within_their_length() -> None:
    body = entry(KEY, wide=False)[4:]
    for size in range(1, len(body)):
        with pytest.raises(DecodeError):
            read_keytab(VERSION + size.to_bytes(4, "big") + body[:size])


@pytest.mark.parametrize("count", [0, 17, 0xFFFF])
def test_names_have_some_parts_and_not_too_many(count: int) -> None:
    data = entry(KEY)
    with pytest.raises(Malformed, match=f"entry 1 has a name of {count} parts"):
        read_keytab(VERSION + data[:4] + count.to_bytes(2, "big") + data[6:])


def test_no_more_than_so_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keytab, "MAX_KEYTAB_ENTRIES", 3)
    assert len(read_keytab(VERSION + entry(KEY) * 3)) == 3
    with pytest.raises(Malformed, match="more than 3 entries"):
        read_keytab(VERSION + entry(KEY) * 4)


@given(st.binary(max_size=40), st.integers(0, 120))
def test_damage_raises_decode_errors_only(junk: bytes, at: int) -> None:
    whole = VERSION + entry(KEY) + entry(OTHER)
    with contextlib.suppress(DecodeError):
        read_keytab(whole[:at] + junk + whole[at + len(junk) :])


def test_keys_are_not_shown() -> None:
    assert "hunter2" not in repr(replace(KEY, kvno=6))
