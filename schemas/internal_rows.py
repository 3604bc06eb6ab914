"""Rows of the tables in schemas.internal that more than one module makes or reads."""

from __future__ import annotations

from typing import TypedDict

from schemas.shared_columns import ConnectionId  # noqa: TC001 - whoever asks for the types of a row needs it


class CountRow(TypedDict):
    """Of the column `counts`."""

    file: int
    stage: str
    counter: str
    value: int


class StreamFlowRow(TypedDict):
    uid: str
    community_id: str
    id: ConnectionId
    orig_decided_by: str
    chosen_by: str
    interfaces: list[str]
    first_ts: int | None
    first_ts_ns: int | None
    last_ts: int | None
    last_ts_ns: int | None
    conn_state: str
    history: str
    orig_pkts: int
    resp_pkts: int
    orig_bytes: int
    resp_bytes: int
    missed_bytes: int
    orig_missed_bytes: int
    resp_missed_bytes: int
    duplicate_bytes: int
    discarded_bytes: int
    conflicts: int
    pdus_recognised: int
    starts_midstream: bool
    capture_id: str
    first_frame: int
    capture_ids: list[str]
    key: int
    file: int
    unresolved: bool
    counts: list[CountRow]


class AsideRow(TypedDict):
    uid: str
    key: int
    first_ts_ns: int
    last_ts_ns: int
    chosen_by: str | None
    counts: list[CountRow]


class AnnouncedRow(TypedDict):
    host: str
    port: int
    interface_uuid: str
    ts_ns: int


class VersionRow(TypedDict):
    host: str
    major: int
    minor: int
    build: int


class FactRow(TypedDict):
    server: str
    client: str
    kind: str
    ts_ns: int
    file: int
    frame: int
    place: int
    uid: str
    data: bytes
