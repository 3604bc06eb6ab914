"""Which names mean one queue."""

from __future__ import annotations

import pytest

from pipelines.facts.queue_names import MAX_NAME, computer_name, queue_manager_of, queue_names

SERVER = "10.0.0.9"
GUID = "6f1d3c52-8a47-4e0b-9c35-2b7e90d4a118"


def keys(name: str, *, owned: bool = True) -> frozenset[str]:
    found = queue_names(name, SERVER, owned=owned)
    assert found is not None
    return found.keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"DIRECT=OS:hq\private$\orders", r"HQ\PRIVATE$\Orders"),
        (r"DIRECT=OS:hq\private$\orders", r"DIRECT=TCP:10.0.0.9\private$\orders"),
        (r"DIRECT=OS:hq.corp.example\orders", r"DIRECT=OS:hq\orders"),
        (r".\private$\orders", r"hq\private$\orders"),
        (f"PUBLIC={GUID}", f"public={GUID.upper()}"),
    ],
)
def test_names_of_one_queue_at_its_owner_have_a_key_in_common(one: str, other: str) -> None:
    assert keys(one) & keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"DIRECT=OS:hq\private$\orders", r"DIRECT=OS:hq\orders"),
        (r"DIRECT=OS:hq\orders", r"DIRECT=OS:hq\orders;JOURNAL"),
        (f"PUBLIC={GUID}", f"PRIVATE={GUID}\\00000001"),
    ],
)
def test_other_queues_have_none(one: str, other: str) -> None:
    assert not keys(one) & keys(other)


def test_elsewhere_the_host_counts_too() -> None:
    """A supporting server opens queues of any host."""
    assert not keys(r"DIRECT=OS:a\q", owned=False) & keys(r"DIRECT=OS:b\q", owned=False)
    assert keys(r"DIRECT=TCP:10.0.0.9\q", owned=False) & keys(r".\q", owned=False)


def test_what_is_no_name() -> None:
    assert queue_names(None, SERVER, owned=True) is None
    assert queue_names("", SERVER, owned=True) is None
    assert queue_names("x" * (MAX_NAME + 1), SERVER, owned=True) is None


@pytest.mark.parametrize(
    ("name", "host"),
    [
        (r"DIRECT=OS:hq\private$\orders", "hq"),
        (r"hq\orders", "hq"),
        (r"DIRECT=TCP:10.0.0.9\orders", None),
        (r".\orders", None),
        (f"PRIVATE={GUID}\\0000000f", None),
        ("DIRECT=http://hq/msmq/orders", None),
        (None, None),
    ],
)
def test_computer_names(name: str | None, host: str | None) -> None:
    assert computer_name(name) == host


def test_queue_managers() -> None:
    assert queue_manager_of(f"PRIVATE={GUID.upper()}\\0000000f") == GUID
    assert queue_manager_of(f"MACHINE={GUID};JOURNAL") == GUID
    assert queue_manager_of(f"PUBLIC={GUID}") is None
