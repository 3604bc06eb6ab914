"""The run in plain words: what was captured, what was found, who did what, how sure that is, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.report.sentences import (
    enumerated,
    host_link,
    level_mark,
    link,
    object_link,
    queue_link,
    sentence,
    user_link,
)
from pipelines.report.touches import key_of
from pipelines.report.words import are, counted, have, listed, moment, size, span, times

if TYPE_CHECKING:
    from pipelines.report.facts import Facts
    from pipelines.report.sentences import Part, Sentence

Row = dict[str, Any]
RULES_TOLD: Final = 7
TOUCHES_TOLD: Final = 8
REASONS_TOLD: Final = 5
ACTS_TOLD: Final = 4
ACCOUNTS_TOLD: Final = 4
_DID: Final = (
    ("purges", "purged it {}"),
    ("purges_unknown", "asked {} to purge it with a result that is not known"),
    ("administered", "changed or controlled it {}"),
    ("removed", "removed {messages}"),
    ("moves", "moved {messages}"),
    ("put_back", "read and put back {messages}"),
    ("cut_off", "read {messages} without an end"),
    ("in_doubt", "read {messages} with an end that is in doubt"),
    ("peeked", "peeked at {messages}"),
    ("sends", "sent {messages}"),
    ("refused", "was refused {}"),
    ("inspected", "asked about it {}"),
    ("sealed", "made {calls} of management"),
)


def summary(facts: Facts) -> list[Row]:
    groups = (
        ("captured", "What was captured", captured(facts)),
        ("found", "What was found", findings(facts)),
        ("done", "Who did what", done(facts)),
        ("sure", "How sure this is", sure(facts)),
        ("undecided", "What could not be decided", undecided(facts)),
        ("damage", "What is missing or damaged", damage(facts)),
    )
    return [{"id": name, "title": title, "sentences": sentences} for name, title, sentences in groups]


def captured(facts: Facts) -> list[Sentence]:
    of, rows = facts.damage, facts.counts.rows
    captures = link(counted(of.captures.total, "capture"), "provenance")
    when = ""
    if of.first is not None and of.last is not None:
        when = f", from {moment(of.first)} to {moment(of.last)} ({span(of.last - of.first)})"
    named = f" ({facts.unnamed_queues:,} of them by number only)" if facts.unnamed_queues else ""
    them, matter = "it" if of.captures.total == 1 else "them", "matters" if rows["connections"] == 1 else "matter"
    return [
        sentence(captures, f" with {counted(of.packets, 'packet')}, {size(of.bytes)}{when}."),
        sentence(
            f"In {them} {counted(rows['connections'], 'connection')} that {matter}, with "
            f"{counted(rows['calls'], 'call')}: ",
            link(counted(rows["hosts"], "host"), "hosts"),
            ", ",
            link(counted(rows["queues"], "queue"), "queues"),
            f"{named}, ",
            link(counted(rows["sessions"], "session"), "sessions"),
            ", ",
            link(counted(rows["messages"], "message"), "messages"),
            ", ",
            link(counted(facts.principals, "account"), "users"),
            ".",
        ),
    ]


def findings(facts: Facts) -> list[Sentence]:
    rules = facts.judgement.rules_with_findings
    if not rules:
        return [sentence("No rule was broken and nothing was detected that an investigator asks for.")]
    first_of: dict[str, Row] = {}
    for row in facts.findings:
        first_of.setdefault(row["rule_id"], row)
    told: list[Sentence] = [
        sentence(
            level_mark(rule["level"]),
            " ",
            link(rule["title"], "rule", rule["rule_id"]),
            f", {times(rule['violation'] + rule['detection'])}",
            *_first(first_of.get(rule["rule_id"]), rule["violation"] + rule["detection"]),
            ".",
        )
        for rule in rules[:RULES_TOLD]
    ]
    if len(rules) > RULES_TOLD:
        more = counted(len(rules) - RULES_TOLD, "more rule")
        told.append(sentence("And ", link(more, "findings"), " with findings."))
    return told


def done(facts: Facts) -> list[Sentence]:
    telling = [row for row in facts.touches if _deeds(row)]
    if not telling:
        return [sentence("Nobody was seen to read, purge or change a queue.")]
    told = _purges(facts)
    told += [_touch(row, facts.deeds.get(key_of(row), [])) for row in telling[:TOUCHES_TOLD]]
    if facts.all_touches > TOUCHES_TOLD:
        told.append(sentence("All pairs of who and queue: ", link(counted(facts.all_touches, "line"), "who"), "."))
    return told


def _purges(facts: Facts) -> list[Sentence]:
    """What is not known of purges is said where they are counted."""
    purges = facts.counts.purges
    if not purges.unknown:
        return []
    purged = f"{times(purges.succeeded).capitalize()} a queue was purged; of " if purges.succeeded else "Of "
    more = counted(purges.unknown, "more purge" if purges.succeeded else "purge")
    return [sentence(purged, link(more, "timeline"), " nobody sees the answer: sealed, or not captured.")]


def sure(facts: Facts) -> list[Sentence]:
    census = facts.census
    told = [
        sentence(
            "A violation is told only where the packets prove it: a packet lost from a conversation does not make one. "
            "A conversation of which nothing was captured cannot be told from one that never was."
        ),
        sentence(
            "Account names are those that clients claimed when they authenticated; a capture alone cannot prove them."
        ),
        *_secrets(facts),
    ]
    if census.unauthenticated:
        told.append(
            sentence(
                f"{counted(census.unauthenticated, 'call')} had no authentication: only addresses tell who made them."
            )
        )
    if census.sealed:
        sealed = f"{counted(census.sealed, 'call')} {are(census.sealed)} sealed"
        told.append(sentence(f"{sealed}: operation and size are known, values are not."))
    if census.inferred:
        told.append(
            sentence(
                f"Of {counted(census.inferred, 'call')} the interface was not seen in a bind: inferred, and marked so."
            )
        )
    if facts.doubtful_sessions:
        told.append(
            sentence(
                link(f"{facts.doubtful_sessions:,} of {counted(facts.counts.rows['sessions'], 'session')}", "sessions"),
                " may be wrong in something, because packets are missing; each says why.",
            )
        )
    return told


def undecided(facts: Facts) -> list[Sentence]:
    rows = facts.judgement.undecided
    if not rows:
        return [sentence("Every rule could be decided wherever it applied.")]
    total = facts.judgement.total["not_decidable"]
    told = [sentence(f"{times(total).capitalize()} a rule ", link("could not be decided", "undecided"), ":")]
    told += [sentence(f"{row['said'] or row['reason']} ({times(row['count'])})") for row in rows[:REASONS_TOLD]]
    return told


def damage(facts: Facts) -> list[Sentence]:
    of, census = facts.damage, facts.census
    told: list[Sentence] = []
    for state in ("truncated", "unreadable"):
        if of.states[state]:
            told.append(
                sentence(link(counted(of.states[state], "capture"), "damage"), f" {are(of.states[state])} {state}.")
            )
    if of.missed_bytes:
        were = "was" if of.missed_bytes == 1 else "were"
        told.append(
            sentence(f"{size(of.missed_bytes)} of the kept connections {were} ", link("not captured", "damage"), ".")
        )
    if of.midstream:
        told.append(sentence(f"{counted(of.midstream, 'connection')} began before the capture did."))
    if of.conflicts:
        told.append(sentence(f"In {counted(of.conflicts, 'connection')} segments contradict each other."))
    if census.unanswered:
        told.append(
            sentence(f"{counted(census.unanswered, 'call')} {have(census.unanswered)} no answer in the captures.")
        )
    if census.unasked:
        told.append(sentence(f"Of {counted(census.unasked, 'call')} only the answer was captured, not what was asked."))
    if issues := of.codes.total():
        told.append(sentence(link(counted(issues, "thing"), "damage"), " could not be read, or not as it should be."))
    if facts.quality is not None and not facts.quality["success"]:
        told.append(sentence("The quality gate ", link("failed", "quality"), ": do not rely on the tables it names."))
    return told or [sentence("Nothing: all captures are whole, and no bytes of the kept connections are missing.")]


def _first(row: Row | None, count: int) -> list[Part]:
    if row is None:
        return []
    by = ", by " if count == 1 else ", first by "
    behind: list[Part] = [" for ", user_link(row["opened_for_user"])] if row["opened_for_user"] else []
    unsure = " (name in doubt)" if row["naming_doubt"] else ""
    queue: list[Part] = [", about ", queue_link(row["queue"], row["server"]), f"{unsure},"] if row["queue"] else []
    user: list[Part] = [" (", user_link(row["user"]), ")"] if row["user"] else []
    frames = sorted({*row["request_frames"], *row["response_frames"]})
    shown = f", {_frames(frames)}" if frames else ""
    return [by, host_link(row["client"]), *user, *behind, *queue, f" at {moment(row['ts'])}{shown}"]


def _touch(row: Row, acts: list[Row]) -> Sentence:
    user: list[Part] = [" as ", user_link(row["user"])] if row["user"] else []
    behind: list[Part] = [" for ", host_link(row["opened_for"])] if row["opened_for"] else []
    if behind and row["opened_for_user"]:
        behind += [" (", user_link(row["opened_for_user"]), ")"]
    left = f"; {size(row['bytes'])} of messages left the server" if row["bytes"] else ""
    doubt = f"; {counted(row['doubts'], 'session')} in doubt" if row["doubts"] else ""
    if row["unsure_queue"]:
        doubt += f"; in {counted(row['unsure_queue'], 'session')} the queue's name is in doubt"
    return sentence(
        host_link(row["client"]),
        *user,
        *behind,
        " \N{RIGHTWARDS ARROW} ",
        object_link(row),
        f" on {row['server']}: ",
        *enumerated([sentence(text, *(_told(acts) if name == "administered" else ())) for name, text in _deeds(row)]),
        f"{left}{doubt}.",
    )


def _deeds(row: Row) -> list[tuple[str, str]]:
    return [
        (name, text.format(times(count), messages=counted(count, "message"), calls=counted(count, "sealed call")))
        for name, text in _DID
        if (count := row[name])
    ]


def _told(acts: list[Row]) -> list[Part]:
    """What was changed, in brackets."""
    parts: list[Part] = []
    for act in acts[:ACTS_TOLD]:
        parts += ["; " if parts else " (", link(act["brief"], "act", act["call_uid"])]
    more = len(acts) - ACTS_TOLD
    return [*parts, f"; {more:,} more)" if more > 0 else ")"] if parts else []


def _secrets(facts: Facts) -> list[Sentence]:
    """What secrets that were given say of those who used them."""
    right = [row for row in facts.accounts if row["right"] and not row["wrong"]]
    ticket = [row for row in right if row["mechanisms"] == ["kerberos"]]
    groups = (
        ([row for row in right if row not in ticket], " signatures prove that the client knew the secret."),
        (ticket, " tickets tell the name, and signatures prove that the client could use them."),
        ([row for row in facts.accounts if row["wrong"]], " the secret given is not, or not always, the one used."),
    )
    return [sentence("Of ", *_accounts([row["user"] for row in rows]), text) for rows, text in groups if rows]


def _accounts(users: list[str]) -> Sentence:
    names = [sentence(user_link(user)) for user in users[:ACCOUNTS_TOLD]]
    more = [sentence(f"{len(users) - ACCOUNTS_TOLD:,} more")] if len(users) > ACCOUNTS_TOLD else []
    return enumerated([*names, *more])


def _frames(frames: list[int]) -> str:
    if len(frames) == 1:
        return f"frame {frames[0]}"
    return (
        f"frames {listed([str(one) for one in frames])}" if len(frames) <= 3 else f"frames {frames[0]} to {frames[-1]}"
    )
