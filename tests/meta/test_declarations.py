"""The declarations of tables against the code that fills them, and against each other."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, get_args

from decoders.net.model import PacketOutcome
from ingest.captures import CONTAINERS
from ingest.choice import ChosenBy, DecidedBy
from ingest.inflate import Compression
from pipelines.calls.call_rows import DecodeState
from pipelines.calls.inference import ENDPOINT_MAPPER_SOURCE, PORT_SOURCE
from pipelines.facts.reasons import Reason
from pipelines.quality.checks import checks_of
from pipelines.rules.model import Level, Party
from pipelines.sessions.model import SessionState
from pipelines.sessions.severance import Severance
from schemas import vocabulary
from schemas.relations import AtLeast, NotAbove, Reference, Sum
from schemas.tables import TABLES, WRITTEN
from tests.every import each

if TYPE_CHECKING:
    from schemas.model import Table

COLUMNS = {table.name: set(table.names) for table in TABLES}


def test_every_table_has_a_suite_and_a_key_or_a_reason() -> None:
    each(WRITTEN, attrgetter("name"), _has_a_suite_and_a_key_or_a_reason)


def _has_a_suite_and_a_key_or_a_reason(table: Table) -> None:
    assert checks_of(table)
    assert bool(table.key) != bool(table.no_key), "a key, or why there is none"
    assert set(table.key) <= COLUMNS[table.name]
    assert len({check.what for check in checks_of(table)}) == len(checks_of(table))


def test_relations_name_columns_that_are_there() -> None:
    each(TABLES, attrgetter("name"), _relations_name_columns_that_are_there)


def _relations_name_columns_that_are_there(table: Table) -> None:
    for relation in table.relations:
        match relation:
            case Reference(column, other, to):
                assert column in COLUMNS[table.name]
                assert to in COLUMNS[other]
            case NotAbove(lower, upper):
                assert {lower, upper} <= COLUMNS[table.name]
            case Sum(total, parts):
                assert {total, *parts} <= COLUMNS[table.name]
            case AtLeast(column, _, where):
                assert {column, where} <= COLUMNS[table.name]


def test_ids_of_other_tables_are_references() -> None:
    """Whoever adds a column with an id of another table says so."""
    ids = {"uid": "flows", "call_uid": "calls", "session_uid": "sessions", "capture_id": "captures"}
    for table in WRITTEN:
        told = {one.column for one in table.relations if isinstance(one, Reference)}
        missing = {name for name, home in ids.items() if name in table.names and home != table.name} - told
        assert missing == set(), table.name


def test_names_that_columns_hold_are_those_of_the_code() -> None:
    assert set(vocabulary.REASONS) == set(Reason)
    assert set(vocabulary.LEVELS) == set(Level)
    assert set(vocabulary.PARTIES) == set(Party)
    assert set(vocabulary.SESSION_STATES) == set(SessionState)
    assert set(vocabulary.SEVERANCES) == set(Severance)
    assert set(vocabulary.DECODE_STATES) == set(DecodeState)
    assert set(vocabulary.CHOSEN_BY) == set(ChosenBy)
    assert set(vocabulary.DECIDED_BY) == set(DecidedBy)
    assert set(vocabulary.CAPTURE_FORMATS) == set(CONTAINERS)
    assert set(vocabulary.COMPRESSIONS) == set(get_args(Compression))
    assert set(vocabulary.PACKET_OUTCOMES) == {outcome.counter for outcome in PacketOutcome}
    assert {ENDPOINT_MAPPER_SOURCE, PORT_SOURCE} <= set(vocabulary.INTERFACE_SOURCES)
