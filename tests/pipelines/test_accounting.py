from __future__ import annotations

from pipelines.run.accounting import accounting_rows, imbalances
from schemas.tables.accounting import COUNTERS


def test_every_counter_has_a_row_even_if_nothing_was_counted() -> None:
    rows = accounting_rows({("a", "packets", "in"): 0})
    assert len(rows) == sum(map(len, COUNTERS.values()))


def test_sums_that_agree_are_no_problem() -> None:
    counts = {("a", "packets", "in"): 5, ("a", "packets", "kept"): 2, ("a", "packets", "set_aside_not_ip"): 3}
    assert imbalances(accounting_rows(counts)) == []


def test_lost_packet_is_named_with_its_capture_and_stage() -> None:
    counts = {("a", "packets", "in"): 5, ("a", "packets", "kept"): 4, ("b", "packets", "in"): 0}
    assert imbalances(accounting_rows(counts)) == ["capture a: stage packets took in 5 and accounts for 4"]


def test_one_capture_cannot_hide_the_loss_of_another() -> None:
    counts = {("a", "packets", "in"): 5, ("a", "packets", "kept"): 4, ("b", "packets", "kept"): 1}
    assert len(imbalances(accounting_rows(counts))) == 2
