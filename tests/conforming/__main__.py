"""`python -m tests.conforming --seed N --minutes M [--cast C] [--shrink]`: who is accused wrongly, what is untrue."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from itertools import count

from tests.conforming import innocence
from tests.conforming.casts import CASTS, MQQP
from tests.conforming.conversation import converse
from tests.conforming.shrinking import shrunk
from tests.conforming.verdicts import accusations


def main() -> int:
    options = _options()
    if options.script:
        sys.stdout.write(converse(options.seed, options.cast or MQQP).script)
        return 0
    until = time.monotonic() + options.minutes * 60
    found: defaultdict[str, list[str]] = defaultdict(list)
    done: Counter[str] = Counter()
    casts = (options.cast,) if options.cast else CASTS
    for seed, cast in ((seed, cast) for seed in count(options.seed) for cast in casts):
        if time.monotonic() > until:
            break
        for kind, what in innocence.wrongs(seed, cast, done):
            found[what].append(f"{seed} {cast} {kind}")
    _say(", ".join(f"{number} {kind}" for kind, number in done.items()) + " conversations")
    for what, where in sorted(found.items()):
        _say(f"{what}: {len(where)} times, first at seed {where[0]}")
        if options.shrink:
            _show(what, *where[0].split()[:2])
    return 1 if found else 0


def _show(rule_id: str, seed: str, cast: str) -> None:
    talk = converse(int(seed), cast)
    if any(one.rule_id == rule_id for one in accusations(talk.frames)):
        _say(shrunk(talk, lambda frames: any(one.rule_id == rule_id for one in accusations(frames))))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conforming", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first, or the only one")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--cast", choices=CASTS, help="who speaks; all of them in turn")
    parser.add_argument("--script", action="store_true", help="print the conversation of the seed and nothing else")
    parser.add_argument("--shrink", action="store_true", help="print the shortest script for each rule that accuses")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
