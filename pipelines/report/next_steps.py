"""Where to look next: what the capture cannot tell, and who or what could."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.report.sentences import enumerated, host_link, link, object_link, sentence
from pipelines.report.words import counted, listed, moment, times

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.report.facts import Facts
    from pipelines.report.sentences import Sentence

NAMES: Final = 4


def next_steps(facts: Facts) -> list[Sentence]:
    return [one for step in _STEPS if (one := step(facts))]


def _worst(facts: Facts) -> Sentence | None:
    if not facts.findings:
        return None
    worst = facts.findings[0]
    rule = link("the worst finding", "rule", worst["rule_id"])
    where = sentence(" and ", link("its session", "session", worst["session_uid"])) if worst["session_uid"] else []
    return sentence("Read ", rule, *where, "; each has a filter that shows its frames in Wireshark.")


def _purged(facts: Facts) -> Sentence | None:
    purged = [row for row in facts.touches if row["purges"]]
    if not purged:
        return None
    queues = list({(row["queue"], row["object"], row["server"]): row for row in purged}.values())
    names = [sentence(object_link(row)) for row in queues[:NAMES]]
    them = "it was" if len(queues) == 1 else "they were"
    return sentence(
        "What was in ",
        *enumerated(names),
        f"{_more(len(queues))} when {them} purged is not in a capture: ask the journal, or backups.",
    )


def _secured(facts: Facts) -> Sentence | None:
    acts = [act for acts in facts.deeds.values() for act in acts if act["action"] == "set_security"]
    if not acts:
        return None
    first = min(acts, key=lambda act: (act["ts"] or 0, act["call_uid"]))
    return sentence(
        f"Rights were set {times(len(acts))}: ",
        link("see what they are now", "act", first["call_uid"]),
        ", and put back what they were before.",
    )


def _removed(facts: Facts) -> Sentence | None:
    removed = [row for row in facts.touches if row["removed"]]
    if not removed:
        return None
    return sentence(
        "Removed messages are listed with label, size and hash under ",
        link("messages", "messages"),
        ": compare them with what the owner of the queue expected to arrive.",
    )


def _nameless(facts: Facts) -> Sentence | None:
    if not facts.census.unauthenticated:
        return None
    clients = sorted({row["client"] for row in facts.touches if not row["user"]})
    if not clients:
        return None
    names = [sentence(host_link(address)) for address in clients[:NAMES]]
    return sentence(
        "Who used ",
        *enumerated(names),
        f"{_more(len(clients))} is not in the capture: their own logon records may tell.",
    )


def _unnamed(facts: Facts) -> Sentence | None:
    if not facts.unnamed_queues:
        return None
    return sentence(
        f"Of {counted(facts.unnamed_queues, 'queue')} only the number is known. A queue's name passes between "
        "application and queue's host (R_QMOpenRemoteQueue): a capture there would tell it."
    )


def _sealed(facts: Facts) -> Sentence | None:
    if not facts.census.sealed:
        return None
    return sentence(
        f"{counted(facts.census.sealed, 'call')} stayed sealed. What is sealed can be read with the account's "
        "password or NT hash, or with Kerberos the service's keytab: mqtrail analyze with --secrets."
    )


def _cut_short(facts: Facts) -> Sentence | None:
    counts = {row["reason"]: row["count"] for row in facts.judgement.undecided}
    before, after = counts.get("started_midstream", 0) + counts.get("open_not_seen", 0), counts.get("capture_ended", 0)
    wanted = [f"from before {moment(facts.damage.first)}"] if before else []
    wanted += [f"from after {moment(facts.damage.last)}"] if after else []
    if not wanted:
        return None
    return sentence(f"Captures {listed(wanted)} would decide what was undecided {times(before + after)}.")


def _more(count: int) -> str:
    return f" and {count - NAMES:,} more" if count > NAMES else ""


def _missing(facts: Facts) -> Sentence | None:
    if not facts.damage.missed_bytes:
        return None
    return sentence(
        "Bytes are missing: ", link("the connections concerned", "damage"), " may be in another tap's capture."
    )


_STEPS: Final[tuple[Callable[[Facts], Sentence | None], ...]] = (
    _worst,
    _purged,
    _secured,
    _removed,
    _nameless,
    _unnamed,
    _sealed,
    _cut_short,
    _missing,
)
