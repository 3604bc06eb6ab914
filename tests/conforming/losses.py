"""What captures lack, and what odd traffic has besides: nobody is accused for either."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tests.builders.conversations import Frame
from tests.scripts.player import play
from tests.scripts.statements import ScriptError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from tests.scripts.tape import Timed

    Loss = Callable[[list[Timed], random.Random], list[Timed]]

_SEEN: Final = frozenset(("syn", "syn_ack", "fin", "rst"))
_HEADERS: Final = 54 + 20
_LINK: Final = 14
_AGAIN_US: Final = (1, 400, 5_000, 300_000, 3_000_000)
"""When a packet comes once more: from two taps, or sent again (RFC 6298 2)."""
_TAPS: Final = ("one", "two")
_WAY_US: Final = (0, 0, 1, 30)
_NUMBER: Final = re.compile(r"(?<==)(?:0x[0-9a-fA-F]+|0|[1-9]\d*)(?=\s|$)")
_SIZE: Final = re.compile(r"\w*(?:Size|Len|Length)\w*=$")
_LARGEST: Final = 20_000
"""Of buffers, which are sent as large as they are said to be."""
_NAME: Final = re.compile(r"(?<==)[PSRCHX]_?\w*\d+(?=\s|$)")


def _few(frames: list[Timed], chance: random.Random) -> list[Timed]:
    gone = set(chance.sample(range(len(frames)), min(len(frames), chance.randint(1, 3))))
    return [one for place, one in enumerate(frames) if place not in gone]


def _many(frames: list[Timed], chance: random.Random) -> list[Timed]:
    share = chance.choice((0.03, 0.1, 0.3, 0.6))
    return [one for one in frames if chance.random() >= share]


def _stretch(frames: list[Timed], chance: random.Random) -> list[Timed]:
    first = chance.randrange(len(frames))
    return frames[:first] + frames[first + chance.randint(1, 40) :]


def _begins_late(frames: list[Timed], chance: random.Random) -> list[Timed]:
    return frames[chance.randrange(len(frames)) :]


def _ends_early(frames: list[Timed], chance: random.Random) -> list[Timed]:
    return frames[: chance.randrange(len(frames)) + 1]


def _kind(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Of all connections."""
    gone = chance.choice(
        ("bind", "bind_ack", "auth3", "alter", "alter_resp", "syn", "fin", "rst", "response", "request")
    )
    return [one for one in frames if one.about != gone or chance.random() < 0.2]


def _connections(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """What both sides of some said, or one of them, took another way. That they were there is seen.

    Of a connection without any packet nobody can know, and what was said there nobody can prove to be missing.
    """
    gone = {one for one in sorted({_ends(one) for one in frames}) if chance.random() < 0.3}
    both = chance.random() < 0.5
    return [
        one
        for one in frames
        if one.about in _SEEN or (_ends(one) not in gone and (not both or _ends(one)[::-1] not in gone))
    ]


def _cut(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """By the snap length, some or all."""
    size, share = chance.randint(_HEADERS, 400), chance.choice((0.05, 0.5, 1.0))
    return [
        replace(one, frame=Frame(one.frame.captured[:size], one.frame.wire_len)) if chance.random() < share else one
        for one in frames
    ]


def _cut_anywhere(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Each at another place, also within its headers."""
    share = chance.choice((0.05, 0.5, 1.0))
    return [
        replace(one, frame=Frame(one.frame.captured[: chance.randint(_LINK, 250)], one.frame.wire_len))
        if chance.random() < share
        else one
        for one in frames
    ]


def _one_way(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """What clients said, or what servers did, took another way everywhere."""
    clients = {_ends(one)[0] for one in frames if one.about == "syn"}
    ours = chance.random() < 0.5
    return [one for one in frames if (_ends(one)[0] in clients) == ours]


def _repeated(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Nothing is missing: some packets are seen twice, by the tap or because they were sent again."""
    copies = [replace(one, ts_us=one.ts_us + chance.choice(_AGAIN_US)) for one in frames if chance.random() < 0.2]
    return sorted((*frames, *copies), key=lambda one: one.ts_us)


def _late(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Of some packets only the copy was captured that was sent again, after what their receiver said to them.

    Not of requests: by their times the truth is compared.
    """
    share = chance.choice((0.02, 0.2))
    delayed = [
        replace(one, ts_us=one.ts_us + chance.choice(_AGAIN_US))
        if one.about != "request" and chance.random() < share
        else one
        for one in frames
    ]
    return sorted(delayed, key=lambda one: one.ts_us)


def _hole(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Of one connection, so that what it closes and opens may be missing, and its numbers mean something else then."""
    some = chance.choice(frames)
    ends = {_ends(some), _ends(some)[::-1]}
    places = [place for place, one in enumerate(frames) if _ends(one) in ends]
    first = chance.randrange(len(places))
    gone = set(places[first : first + chance.randint(2, 14)])
    if len(gone) == len(places):
        # A connection of which nothing was captured is none: record 9.
        gone.remove(places[0])
    return [one for place, one in enumerate(frames) if place not in gone]


def _two_taps(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Each of them lacks something else."""
    kinds = [one for one in LOSSES.values() if one not in (_repeated, _two_taps, _both)]
    taken: list[Timed] = []
    for tap in _TAPS:
        seen = chance.choice(kinds)(frames, chance) if chance.random() < 0.9 else frames
        taken += _tapped(seen, tap, chance)
    return sorted(taken, key=lambda one: one.ts_us)


def shared_out(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """To two taps, so that nothing is missing: what one of them lacks the other has, and some both."""
    share = chance.choice((0.02, 0.3))
    taken: list[Timed] = []
    for one in frames:
        taps = _TAPS if chance.random() >= share else (chance.choice(_TAPS),)
        for tap in taps:
            taken += _tapped([one], tap, chance)
    return sorted(taken, key=lambda one: one.ts_us)


def _tapped(frames: list[Timed], tap: str, chance: random.Random) -> list[Timed]:
    """The second is a little further away. Not for requests: by their times the truth is compared."""
    return [
        replace(
            one, tap=tap, ts_us=one.ts_us + (0 if tap == _TAPS[0] or one.about == "request" else chance.choice(_WAY_US))
        )
        for one in frames
    ]


def _both(frames: list[Timed], chance: random.Random) -> list[Timed]:
    """Two of the others, one after the other; of what is repeated the first copy must stay."""
    for kind in chance.sample([one for one in LOSSES.values() if one not in (_repeated, _two_taps, _both)], 2):
        frames = kind(frames, chance) if frames else []
    return frames


def _ends(one: Timed) -> tuple[bytes, bytes]:
    """Addresses and ports of sender and receiver, as they stand in the frame."""
    data = one.frame.captured
    at, size, tcp = (22, 16, 54) if data[12:14] == b"\x86\xdd" else (26, 4, 34)
    source, target = data[at : at + size], data[at + size : at + 2 * size]
    return source + data[tcp : tcp + 2], target + data[tcp + 2 : tcp + 4]


LOSSES: Final[Mapping[str, Loss]] = {
    "few": _few,
    "many": _many,
    "stretch": _stretch,
    "begins late": _begins_late,
    "ends early": _ends_early,
    "kind": _kind,
    "connections": _connections,
    "cut": _cut,
    "cut anywhere": _cut_anywhere,
    "one way": _one_way,
    "repeated": _repeated,
    "late": _late,
    "hole": _hole,
    "two taps": _two_taps,
    "both": _both,
}


def odd(script: str, chance: random.Random) -> list[Timed]:
    """The conversation with some values changed, and call ids that are used again."""
    while True:
        lines = script.splitlines()
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(lines))
            lines[place] = _mutated(lines[place], lines, chance)
        if chance.random() < 0.5:
            lines = [f"{one} cycle {chance.randint(2, 4)}" if one.startswith("connect") else one for one in lines]
        try:
            return play("\n".join(lines))
        except (ScriptError, OverflowError):
            continue


def _mutated(line: str, lines: list[str], chance: random.Random) -> str:
    """Another number or another handle than it was."""
    if not line.startswith(("answer", "c")):
        return line
    pattern = chance.choice((_NUMBER, _NAME))
    places = list(pattern.finditer(line))
    if not places:
        return line
    place = chance.choice(places)
    others = pattern.findall(chance.choice(lines))
    if others and chance.random() < 0.5:
        value = chance.choice(others)
    elif pattern is _NUMBER:
        value = str(chance.choice((0, 1, 0xFFFF_FFFF, int(place[0], 0) ^ 1 << chance.randrange(32))) & 0xFFFF_FFFF)
    else:
        value = chance.choice(("null", "UNKNOWN9"))
    if _SIZE.search(line[: place.start()]):
        value = str(int(value, 0) % _LARGEST)
    return f"{line[: place.start()]}{value}{line[place.end() :]}"
