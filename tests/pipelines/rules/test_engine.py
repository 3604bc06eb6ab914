"""Needs, exemptions, sums and thresholds: what the engine adds to the rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.rules.catalogue import BY_ID, RULES, SETTINGS
from pipelines.rules.coverage import Clause
from pipelines.rules.findings import MAX_ALIKE
from pipelines.rules.lint import CHECKS, problems
from pipelines.rules.model import Exemption, Level, Party
from pipelines.rules.tally import at_or_above, verdict_rows
from schemas.tables.findings import VERDICTS_MEAN
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.rules.model import Rule

Row = dict[str, Any]


def judged(script: str, folder: Path, **settings: int) -> dict[str, list[Row]]:
    return Local(capture(folder, script)).judged({**SETTINGS, **settings})


def of_rule(tables: dict[str, list[Row]], rule_id: str) -> list[Row]:
    return [row for row in tables["findings"] if row["rule_id"] == rule_id]


def test_violations_that_repeat_are_summed_up(tmp_path: Path) -> None:
    action = 'R_QMMgmtAction type=1 lpwszAction="SHUTDOWN" -> status=MQ_ERROR_INVALID_PARAMETER\n'
    times = MAX_ALIKE + 50
    tables = judged("connect interface qmmgmt\n" + action * times + "close\n", tmp_path)
    rows = of_rule(tables, "mqmr-action-known")
    assert len(rows) == MAX_ALIKE + 1
    assert sorted(row["count"] for row in rows) == [1] * MAX_ALIKE + [50]
    (verdict,) = (row for row in tables["verdicts"] if row["rule_id"] == "mqmr-action-known")
    assert (verdict["verdict"], verdict["count"]) == ("violation", times)


def test_not_decidable_is_one_row_a_rule_reason_and_session(tmp_path: Path) -> None:
    peek = "RemoteQMStartReceive2 ulAction=PEEK_CURRENT -> lost\n"
    tables = judged(f"connect\nRemoteQmGetVersion\nRemoteQMOpenQueue\n{peek * 7}RemoteQMCloseQueue\nclose\n", tmp_path)
    (row,) = of_rule(tables, "mqqp-read-handle-withheld")
    assert (row["verdict"], row["reason"], row["count"]) == ("not_decidable", "response_not_captured", 7)
    (session,) = tables["sessions"]
    assert row["session_uid"] == session["session_uid"]


def test_finding_names_its_frames_and_values(tmp_path: Path) -> None:
    script = "connect user eve\nRemoteQmGetVersion\nRemoteQMOpenQueue dwMQS=99 -> fault=0x6f7\nclose\n"
    (row,) = of_rule(judged(script, tmp_path), "mqqp-mqs-value")
    assert (row["level"], row["party"], row["verdict"], row["count"]) == ("low", "client", "violation", 1)
    assert row["spec"] == "MS-MQQP 3.2.4.1"
    assert row["username"] == "eve"
    assert any("99" in one["value"] or "63" in one["value"] for one in row["evidence"]["values"])
    assert len(row["evidence"]["request_frames"]) == len(row["evidence"]["response_frames"]) == 1


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ("", "server_version_unknown"),
        ("RemoteQmGetVersion -> pMajor=5 pMinor=1 pBuildNumber=1020", None),
        ("RemoteQmGetVersion -> pMajor=6 pMinor=1 pBuildNumber=7601", "violation"),
    ],
)
def test_exemption_goes_by_the_servers_version(version: str, verdict: str | None, tmp_path: Path) -> None:
    """MS-MQQP <14>: Windows XP does not compare the two."""
    rule = BY_ID["mqqp-error-open-unequal"]
    assert isinstance(rule.exemptions[0], Exemption)
    script = f"connect\n{version}\nRemoteQMOpenQueue pQueue=7 dwpContext=8\nRemoteQMCloseQueue\nclose\n"
    rows = of_rule(judged(script, tmp_path), rule.id)
    assert [row["reason"] or row["verdict"] for row in rows] == ([verdict] if verdict else [])


def test_threshold_decides_what_is_reported(tmp_path: Path) -> None:
    refused = "RemoteQMOpenQueue -> status=MQ_ERROR_ACCESS_DENIED\n" * 3
    script = f"connect\nRemoteQmGetVersion\n{refused}close\n"
    assert of_rule(judged(script, tmp_path), "detect-refused-opens") == []
    (row,) = of_rule(judged(script, tmp_path, refused_opens=3), "detect-refused-opens")
    assert (row["verdict"], row["party"]) == ("detection", "nobody")


def test_tally_is_told_in_the_order_of_the_catalogue() -> None:
    last, first = RULES[-1].id, RULES[0].id
    tally = Counter({(last, "detection", None): 2, (first, "not_decidable", "sealed"): 3, (first, "pass", None): 1})
    assert [(row["rule_id"], row["verdict"], row["count"]) for row in verdict_rows(tally)] == [
        (first, "not_decidable", 3),
        (first, "pass", 1),
        (last, "detection", 2),
    ]
    assert {row["verdict"] for row in verdict_rows(tally)} <= set(VERDICTS_MEAN)


def test_what_is_not_decided_has_a_question_and_no_level(tmp_path: Path) -> None:
    script = "connect auth privacy\nRemoteQMOpenQueue\nRemoteQMPurgeQueue\nclose\n"
    rows = [row for row in judged(script, tmp_path)["findings"] if row["verdict"] == "not_decidable"]
    assert rows
    assert {row["level"] for row in rows} == {None}
    assert {row["title"][:4] for row in rows} <= {"Was ", "Did "}


def test_findings_at_or_above_a_level() -> None:
    tally = Counter({
        ("detect-purge", "detection", None): 2,
        ("mqqp-size-zero", "violation", None): 5,
        ("mqqp-ack-value", "not_decidable", "sealed"): 9,
        ("mqqp-ack-value", "pass", None): 9,
    })  # fmt: skip
    assert at_or_above(tally, Level.HIGH) == {"detect-purge": 2}
    assert at_or_above(tally, Level.LOW) == {"detect-purge": 2, "mqqp-size-zero": 5}


_GOOD = BY_ID["mqqp-ack-value"]
_DETECTION = next(rule for rule in RULES if rule.is_detection and rule.check is not None)


@pytest.mark.parametrize(
    ("rule", "advice"),
    [
        (replace(_GOOD, id="MQQP ack"), "an id is lower case words"),
        (replace(_GOOD, section="somewhere"), "cite sections"),
        (replace(_GOOD, title="It is bad."), "a title says"),
        (replace(_GOOD, requirement="be good"), "the requirement is a sentence"),
        (replace(_GOOD, keyword=""), "a violation rests on MUST or SHOULD"),
        (replace(_GOOD, keyword="MAY"), "a violation rests on MUST or SHOULD"),
        (replace(_DETECTION, keyword="MUST"), "a violation rests on MUST or SHOULD"),
        (replace(_GOOD, check=None), "either a check or a watcher"),
        (replace(_GOOD, operations=(("qm2qm", "RemoteQMNothing"),)), "operations are named as on the wire"),
        (replace(_DETECTION, attack=()), "a detection names the technique"),
        (replace(_DETECTION, attack=("T1",)), "techniques are ATT&CK ids"),
        (replace(_GOOD, exemptions=(Exemption("note 1", "", bool),)), "notes are written <n>"),
        (replace(_GOOD, settings={"never": 0}), "thresholds are positive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lint_finds_what_is_wrong(rule: Any, advice: str) -> None:  # noqa: ANN401
    assert any(advice in problem for problem in problems([rule]))
    assert any(check.advice.startswith(advice) for check in CHECKS)


_GROUND = Clause("MS-MQQP", "3.2.4.3", "MUST", "dwAck is one of two", (_GOOD.id,), binds="client")
_PLAIN = replace(_GOOD, section="3.2.4.3")


def test_lint_is_content_with_one_clause_that_binds_the_party() -> None:
    assert list(problems([_PLAIN], [_GROUND])) == []
    assert list(problems([_PLAIN], [replace(_GROUND, binds="both")])) == []


@pytest.mark.parametrize(
    ("rule", "listed", "advice"),
    [
        (_PLAIN, [], "a clause of the coverage page names the rule"),
        (_PLAIN, [replace(_GROUND, keyword="MAY")], "a clause with MUST or SHOULD names it"),
        (_PLAIN, [replace(_GROUND, keyword="informative")], "a clause with MUST or SHOULD names it"),
        (replace(_PLAIN, section="5"), [replace(_GROUND, section="5")], "sections 2 and 3 demand"),
        (replace(_PLAIN, section="7"), [replace(_GROUND, section="7")], "sections 2 and 3 demand"),
        (_PLAIN, [replace(_GROUND, binds="server")], "every clause with MUST or SHOULD that names it binds its party"),
        (_PLAIN, [_GROUND, replace(_GROUND, binds="nobody")], "every clause with MUST or SHOULD that names it binds"),
        (_PLAIN, [replace(_GROUND, keyword="SHOULD")], "its keyword is that of a clause that names it"),
        (_PLAIN, [replace(_GROUND, section="3.2.4.6")], "each section it cites has a clause"),
        (_PLAIN, [replace(_GROUND, document="MS-MQRR")], "each section it cites has a clause"),
        (_PLAIN, [replace(_GROUND, binds="")], "say whom it binds"),
        (_PLAIN, [_GROUND, replace(_GROUND, rules=(), unseen="why")], "say whom it binds"),
    ],
)
def test_lint_finds_a_violation_without_ground(rule: Rule, listed: list[Clause], advice: str) -> None:
    assert any(advice in problem for problem in problems([rule], listed))


def test_lint_asks_no_ground_of_a_detection() -> None:
    assert list(problems([_DETECTION], [])) == []


def test_lint_finds_names_used_twice() -> None:
    twice = replace(_GOOD, settings={"shared_name": 1})
    found = list(problems([twice, replace(twice, party=Party.SERVER)]))
    assert "mqqp-ack-value: 2 rules have this id" in found
    assert "threshold shared_name: declared by 2 rules; a name belongs to one" in found
