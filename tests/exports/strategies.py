"""Any row that a table can hold, text from a hostile wire included."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import strategies as st

if TYPE_CHECKING:
    from schemas.model import Column, Table

ODD = "\x00\t\n\r\x0b\x1c\x7f\x85\u2028\u2029\ud800\udfff\\,;\"'#-=+@(){}\U0010ffff\u202e"
WIRE_TEXT = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec=None)), max_size=12) | st.sampled_from(
    ("-", "(empty)", "", "#", "\\x09", "=1+1", "'=1", "'")
)
TIMES = st.datetimes(dt.datetime(1970, 1, 2), dt.datetime(2200, 1, 1), timezones=st.just(dt.UTC))  # noqa: DTZ001
_MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "orig_h": st.ip_addresses().map(str),
    "resp_h": st.ip_addresses().map(str),
}
_MEMBERS |= {"orig_p": st.integers(0, 65535), "resp_p": st.integers(0, 65535)}


def rows(table: Table, *, storable: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """`storable`: without the surrogates that Parquet refuses."""
    text = WIRE_TEXT.map(_stored) if storable else WIRE_TEXT
    return st.fixed_dictionaries({column.name: _column(column, text) for column in table.columns})


def _stored(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _column(column: Column, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    if column.values:
        found: st.SearchStrategy[Any] = st.sampled_from(column.values)
    elif pa.types.is_integer(column.type):
        bits = 31 if column.type == pa.int32() else 63
        low = -(2**bits) if column.low is None else column.low
        found = st.integers(low, 2**bits - 1 if column.high is None else column.high)
    else:
        found = _value(column.type, text)
    return found if column.required else st.none() | found


def _value(kind: pa.DataType, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    if pa.types.is_struct(kind):
        members = {field.name: st.none() | _value(field.type, text) for field in kind}
        return st.fixed_dictionaries(members | {name: _MEMBERS[name] for name in members.keys() & _MEMBERS.keys()})
    if pa.types.is_list(kind):
        return st.lists(_value(kind.value_type, text), max_size=3)
    if pa.types.is_timestamp(kind):
        return TIMES
    if pa.types.is_decimal(kind):
        return st.decimals(0, 2**64 - 1, places=0)
    return {
        pa.string(): text,
        pa.int64(): st.integers(-(2**63), 2**63 - 1),
        pa.int32(): st.integers(-(2**31), 2**31 - 1),
        pa.bool_(): st.booleans(),
        pa.binary(): st.binary(max_size=9),
        pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
    }[kind]
