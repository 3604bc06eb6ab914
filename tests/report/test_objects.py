"""The page of COM objects: who made which object of which class, its calls by member, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.report.building import report_of
from pipelines.report.limits import MEMBERS_TOLD
from pipelines.report.objects import COLUMNS
from tests.builders import com_values as c
from tests.builders import packets as p
from tests.pipelines.com import story as s
from tests.report.conftest import reported
from tests.report.runs import MANIFEST, run_of_captures, run_of_rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.browser import Page
    from tests.report.runs import Row


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("objects")
    return run_of_captures(folder / "run", *s.files(folder, s.activation(c.QUEUE_INFO), s.whole_life()))


def objects(folder: Path) -> tuple[list[Row], int, str]:
    (section,) = [one for one in report_of(str(folder), MANIFEST).sections if one.name == "objects"]
    assert section.columns == COLUMNS
    return list(section.rows), section.total, section.cut


def test_who_made_what_and_how_it_ended(made: Path) -> None:
    rows, total, cut = objects(made)
    assert (len(rows), total, cut) == (3, 3, "")
    factory, one = (row for row in rows if row["class"] == "MSMQQueueInfo")
    assert (one["client"], one["server"], one["port"], one["end"]) == (p.CLIENT, p.SERVER, s.PORT, "released")
    assert one["parent_object_uid"] == factory["object_uid"]
    assert factory["members"] == [["IClassFactory", "CreateInstance", 1]]
    assert sum(count for *_, count in one["members"]) + one["others"] == one["calls_made"]


def test_the_most_telling_first_and_members_bounded(tmp_path: Path) -> None:
    """Fifteen members of an object of MSMQ, and more other objects than there is room for."""
    uids = [f"O{number}" for number in range(4_000)]
    some = {"exporter": {"host": p.SERVER, "port": s.PORT}, "interfaces": [], "references_given": 0, "capture_id": "c"}
    some |= {"references_returned": 0, "end": "open_at_end", "client": p.CLIENT, "oid": "1", "runs_as": "x" * 400}
    rows = [{**some, "object_uid": uid, "class": None, "calls_made": 9} for uid in uids]
    rows[-1] |= {"class": "MSMQQueue", "calls_made": 15}
    calls = [{"object_uid": uids[-1], "interface": "IDispatch", "member": f"m{number:02}"} for number in range(15)]
    found, total, cut = objects(run_of_rows(tmp_path, {"com_objects": rows, "com_calls": calls}))
    assert total == 4_000
    assert "com_objects" in cut
    (told,) = [row for row in found if row["class"] == "MSMQQueue"]
    assert (len(told["members"]), told["others"]) == (MEMBERS_TOLD, 15 - MEMBERS_TOLD)


def test_a_run_without_com_says_so(page: Page, sampled: Path) -> None:
    page.open(reported(sampled), "#objects")
    assert "No COM object was seen." in page.text()


def test_the_page_and_an_object_of_it(page: Page, made: Path) -> None:
    page.open(reported(made), "#objects")
    text = page.text()
    assert "MSMQQueueInfo" in text
    assert "all references given back" in text
    page.go(page.run("[...document.querySelectorAll('main a[href^=\"#object/\"]')].pop().hash"))
    assert "Object: " in page.text()
    assert "References" in page.text()
    assert page.complaints() == []
