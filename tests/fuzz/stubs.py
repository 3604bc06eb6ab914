"""Mutated stubs by number: `LOT` in a row are of one operation, direction, syntax and byte order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from decoders.registry import DCOM, REGISTRY
from tests.fuzz.findings import Broken, Finding, Hang, Tally, limited, reason
from tests.fuzz.stub_checks import checks_of
from tests.fuzz.stub_mutations import MUTATIONS, vast
from tests.fuzz.stub_seeds import WIRES, seeds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from decoders.ndr.interpreter import Decoded
    from tests.fuzz.stub_checks import Checks
    from tests.fuzz.stub_mutations import Mutation

LOT = 256
SEEDS_PER_LOT = 24
MEMORY_EVERY = 32
VAST_SHARE = 0.002
"""They cost a hundred times what the others do."""


def wire_of(number: int) -> str:
    return WIRES[number // LOT % len(WIRES)].name


def is_dcom(lot: int) -> bool:
    return REGISTRY[WIRES[lot % len(WIRES)].interface.uuid].family in DCOM


def stubs_of(seed: int, lot: int, places: Iterable[int]) -> list[bytes]:
    """The first lot of every wire is cut at each byte of its shortest seeds, the others are mutated at random."""
    wire = WIRES[lot % len(WIRES)]
    pool = seeds(wire, random.Random(f"{seed} stub seeds {lot}"), SEEDS_PER_LOT)
    if lot < len(WIRES):
        cuts = [stub[:end] for stub in sorted(pool, key=len) for end in range(len(stub) + 1)]
        return [cuts[place % len(cuts)] for place in places]
    made = []
    for place in places:
        rng = random.Random(f"{seed} stub {lot * LOT + place}")
        made.append(_mutation(rng)(rng.choice(pool), rng.choice(pool), wire, rng))
    return made


def _mutation(rng: random.Random) -> Mutation:
    return vast if rng.random() < VAST_SHARE else rng.choice(MUTATIONS)


def run_lot(seed: int, lot: int, places: Sequence[int] = range(LOT)) -> Tally:
    checks = checks_of(wire_of(lot * LOT))
    numbers = [lot * LOT + place for place in places]
    return _run(checks, seed, numbers, stubs_of(seed, lot, places))


def replay(finding: Finding) -> Tally:
    return _run(checks_of(finding.facts["wire"]), finding.seed, [finding.number], [finding.data])


def _run(checks: Checks, seed: int, numbers: Sequence[int], stubs: Sequence[bytes]) -> Tally:
    tally = Tally(cases=len(stubs))

    def tell(number: int, stub: bytes, error: BaseException) -> None:
        what, trace = reason(error)
        facts = {"wire": checks.wire.name, "size": len(stub)}
        tally.findings.append(Finding("stubs", seed, number, what, trace, facts, stub))

    sound: list[tuple[int, bytes, Decoded]] = []
    for number, stub in zip(numbers, stubs, strict=True):
        try:
            with limited():
                decoded, seconds = checks.one(stub)
                if number % MEMORY_EVERY == 0:
                    checks.memory(stub)
        except (Exception, Hang) as error:  # noqa: BLE001 - whatever it is, it is a finding
            tell(number, stub, error)
            continue
        tally.slowest = max(tally.slowest, (seconds, f"stubs:{number} {checks.wire.name}"))
        tally.count("complete" if decoded.complete else "stopped")
        for code in {problem.code for problem in decoded.problems}:
            tally.count(f"problem {code}")
        sound.append((number, stub, decoded))
    failed = _together(checks, sound)
    if failed is not None:
        alone = [(one, found) for one in sound if (found := _together(checks, [one]))]
        for (number, stub, _), found in alone:
            tell(number, stub, found)
        if not alone:
            tell(numbers[0], b"".join(stubs), Broken(f"only the whole lot fails: {reason(failed)[0]}"))
    return tally


def _together(checks: Checks, sound: Sequence[tuple[int, bytes, Decoded]]) -> BaseException | None:
    try:
        with limited():
            checks.together([decoded for _, _, decoded in sound])
    except (Exception, Hang) as error:  # noqa: BLE001
        return error
    return None
