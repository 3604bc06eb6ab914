"""Security descriptors in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.security.queue_access import QUEUE_RIGHTS
from pipelines.report.rights import ENTRIES_TOLD, RIGHTS, rights_sentence, shortened

DOMAIN = "S-1-5-21-1004336348-1177238915-682003330"


@pytest.mark.parametrize(
    ("sddl", "said"),
    [
        ("D:(A;;0xf003f;;;WD)", ["Everyone: full control"]),
        ("D:(A;;GA;;;AN)", ["Anonymous: full control"]),
        ("D:(A;;0x20024;;;WD)", ["Everyone: send, get properties and see rights"]),
        ("D:(D;;0x3;;;AU)(A;;0x4;;;BA)", ["Authenticated users is denied: receive and peek", "Administrators: send"]),
        ("D:PAI(A;;RCWD;;;SY)", ["Local system: see rights and change rights"]),
        (f"O:{DOMAIN}-1104G:{DOMAIN}-513D:(A;;0x1;;;{DOMAIN}-512)", None),
        ("O:BAG:SYD:(A;;0x0;;;WD)", ["owner: Administrators", "Everyone: nothing"]),
        ("D:NO_ACCESS_CONTROL", ["Everyone: full control, for there is no access list"]),
        ("D:", ["nobody: the access list is empty"]),
        ("O:SY", ["owner: Local system"]),
        ("S:(AU;SAFA;0x1;;;WD)", []),
        ("D:(XA;;0x1;;;WD;(#0102))", ["Everyone (XA): receive"]),
        ("D:(A;;0x40;;;S-1-9-7)", ["S-1-9-7: 0x00000040"]),
        ("", []),
    ],
)
def test_descriptors(sddl: str, said: list[str] | None) -> None:
    wanted = said if said is not None else [f"owner: account {DOMAIN}-1104", f"Domain Admins {DOMAIN}-512: receive"]
    assert rights_sentence(sddl) == wanted


def test_of_other_objects_only_what_means_the_same_everywhere_is_said() -> None:
    assert rights_sentence("D:(A;;0x1;;;WD)(A;;GA;;;SY)", of_queue=False) == [
        "Everyone: 0x1",
        "Local system: full control",
    ]


def test_long_lists_say_how_many_more() -> None:
    said = rights_sentence("D:" + "(A;;0x1;;;WD)" * (ENTRIES_TOLD + 1))
    assert said[-1] == "and 1 more"
    assert len(said) == ENTRIES_TOLD + 1


def test_accounts_of_a_domain_are_short_on_a_line() -> None:
    assert shortened(f"account {DOMAIN}-1104: send") == "account …-1104: send"


def test_every_right_of_a_queue_has_words() -> None:
    assert set(RIGHTS) == set(QUEUE_RIGHTS.values())


@given(st.text() | st.text("OGDSA:;()0x1WD-", max_size=40))
def test_any_text_is_read(text: str) -> None:
    assert all(isinstance(one, str) for one in rights_sentence(text))
