"""Mutated captures by number: every third cuts a small capture at the next byte, the others are damaged at random."""

from __future__ import annotations

import random
import shutil
import struct
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz import file_mutations, packet_mutations, pdu_mutations
from tests.fuzz.capture_checks import Truth, check, check_scan
from tests.fuzz.findings import Broken, Finding, Hang, Tally, limited, reason
from tests.fuzz.recording import CONTAINERS, captured_payload, record
from tests.fuzz.scenes import OF_COM, SCENES
from tests.local import Local
from tests.timing import quickest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.fuzz.scenes import Scene

KIND, DCOM = "captures", "dcom"
"""`dcom`: of conversations with objects."""
SLOW_SECONDS = 2.0
SWEEP_EVERY = 3
SAMPLE_EVERY = 100
"""The sample is thirty times as large as the other captures."""
SAMPLE = Path(__file__).parents[2] / "samples" / "msmq-loopback.pcap"
SWEPT = (("small", "pcap"), ("small", "pcapng"), ("small", "gzip"), ("verified", "pcapng, big endian"),
         ("fragments", "pcap"), ("signed", "pcap, big endian, ns"))  # fmt: skip
BY_NAME = {scene.name: scene for scene in SCENES}


@dataclass(frozen=True, slots=True)
class Case:
    what: str
    data: bytes
    truth: Truth | None = None
    lossless: bool = False
    """All of the truth has to come out, not only nothing else."""
    payload_bytes: int | None = None
    sizes: tuple[int, ...] = ()
    """Of the files that `data` holds one after the other, where they are more than one."""


def case(seed: int, number: int, *, dcom: bool = False) -> Case:
    """`dcom`: of conversations with objects only, all damaged at random."""
    if dcom:
        rng = random.Random(f"{seed} dcom capture {number}")
        return rng.choice(_MAKERS)(rng, OF_COM)
    place, other = divmod(number, SWEEP_EVERY)
    if other == 0 and place < len(_cuts()):
        return _cut_sample(place)
    rng = random.Random(f"{seed} capture {number}")
    if number % SAMPLE_EVERY == 1:
        return _damaged_sample(rng)
    return rng.choice(_MAKERS)(rng, SCENES)


@cache
def _cuts() -> list[tuple[str, str, int]]:
    return [(scene, kind, end) for scene, kind in SWEPT for end in range(len(_small(scene, kind)))]


@cache
def _small(scene: str, container: str) -> bytes:
    return CONTAINERS[container](record([BY_NAME[scene]], None))


def _cut_sample(place: int) -> Case:
    scene, container, end = _cuts()[place]
    truth = _truth_of((scene,), None, coalesced=False)
    return Case(f"{scene} as {container}, first {end} bytes", _small(scene, container)[:end], truth)


@cache
def _truth_of(scenes: tuple[str, ...], segment: int | None, *, coalesced: bool) -> Truth:
    shots = record([BY_NAME[name] for name in scenes], segment, coalesced=coalesced)
    with _written(CONTAINERS["pcap"](shots)) as paths:
        return Truth.of(Local(*paths))


def _staged(rng: random.Random, pool: Sequence[Scene]) -> tuple[list[Scene], int | None, bool]:
    scenes = rng.sample(pool, rng.choice((1, 1, 1, 2)))
    return scenes, rng.choice((None, None, 120, 37)), rng.random() < 0.2


def _damaged_pdus(rng: random.Random, pool: Sequence[Scene]) -> Case:
    scenes, segment, coalesced = _staged(rng, pool)
    steps = rng.choices(pdu_mutations.MUTATIONS, k=rng.choice((1, 1, 2, 4)))
    turns = list(scenes[0].turns)
    for step in steps:
        turns = step(turns, rng)
    scenes[0] = replace(scenes[0], turns=tuple(turns))
    shots = record(scenes, segment, coalesced=coalesced)
    container = rng.choice(tuple(CONTAINERS))
    what = f"{_names(scenes)} as {container}, {_names(steps)}"
    return Case(what, CONTAINERS[container](shots), payload_bytes=captured_payload(shots))


def _lost_packets(rng: random.Random, pool: Sequence[Scene]) -> Case:
    scenes, segment, coalesced = _staged(rng, pool)
    shots = record(scenes, segment, coalesced=coalesced)
    lossless = rng.random() < 0.2
    steps = rng.choices(packet_mutations.HARMLESS, k=rng.choice((1, 2)) if lossless else rng.choice((0, 0, 1)))
    if not lossless:
        steps += rng.choices(packet_mutations.LOSSES, k=rng.choice((1, 1, 2)))
    for step in steps:
        shots = step(shots, rng) or shots
    container = rng.choice(tuple(CONTAINERS))
    truth = _truth_of(tuple(scene.name for scene in scenes), segment, coalesced=coalesced)
    what = f"{_names(scenes)} as {container}, {_names(steps)}"
    return Case(what, CONTAINERS[container](shots), truth, lossless, captured_payload(shots))


def _rotated_files(rng: random.Random, pool: Sequence[Scene]) -> Case:
    """The recorder began a new file, once or twice; the next may be of another format."""
    scenes, segment, coalesced = _staged(rng, pool)
    shots = record(scenes, segment, coalesced=coalesced)
    bounds = [0, *sorted(rng.choices(range(1, len(shots)), k=rng.choice((1, 2)))), len(shots)]
    files = [CONTAINERS[rng.choice(tuple(CONTAINERS))](shots[start:end]) for start, end in pairwise(bounds)]
    truth = _truth_of(tuple(scene.name for scene in scenes), segment, coalesced=coalesced)
    sizes = tuple(map(len, files))
    return Case(f"{_names(scenes)} in {len(files)} files", b"".join(files), truth, True, captured_payload(shots), sizes)


def _damaged_packets(rng: random.Random, pool: Sequence[Scene]) -> Case:
    scenes, segment, coalesced = _staged(rng, pool)
    shots = record(scenes, segment, coalesced=coalesced)
    everything = (*packet_mutations.LOSSES, *packet_mutations.HARMLESS, *packet_mutations.CHANGES)
    steps = rng.choices(everything, k=rng.choice((1, 2, 3)))
    for step in steps:
        shots = step(shots, rng) or shots
    container = rng.choice(tuple(CONTAINERS))
    what = f"{_names(scenes)} as {container}, {_names(steps)}"
    return Case(what, CONTAINERS[container](shots), payload_bytes=captured_payload(shots))


def _damaged_file(rng: random.Random, pool: Sequence[Scene]) -> Case:
    scenes, segment, coalesced = _staged(rng, pool)
    container = rng.choice(tuple(CONTAINERS))
    step = rng.choice(file_mutations.MUTATIONS)
    data = step(CONTAINERS[container](record(scenes, segment, coalesced=coalesced)), rng)
    return Case(f"{_names(scenes)} as {container}, {_names([step])}", data)


def _damaged_sample(rng: random.Random) -> Case:
    whole = SAMPLE.read_bytes()
    if rng.random() < 0.5:
        share = rng.choice((0.02, 0.1, 0.3))
        records = _records(whole)
        kept = [one for one in records if rng.random() > share]
        return Case(f"the sample without {len(records) - len(kept)} packets", whole[:24] + b"".join(kept), _of_sample())
    step = rng.choice(file_mutations.MUTATIONS)
    return Case(f"the sample, {_names([step])}", step(whole, rng))


_MAKERS = (
    *(_damaged_pdus, _damaged_pdus, _damaged_pdus, _damaged_pdus),
    *(_lost_packets, _lost_packets, _damaged_packets, _damaged_packets, _damaged_file, _damaged_file),
    _rotated_files,
)


@cache
def _of_sample() -> Truth:
    return Truth.of(Local(SAMPLE))


def _records(data: bytes) -> list[bytes]:
    """Of a little-endian pcap."""
    result, at = [], 24
    while at < len(data):
        size = 16 + struct.unpack_from("<I", data, at + 8)[0]
        result.append(data[at : at + size])
        at += size
    return result


def _names(things: Iterable[object]) -> str:
    return " + ".join(str(getattr(thing, "name", None) or getattr(thing, "__name__", thing)) for thing in things)


class _written:  # noqa: N801 - used as a function
    """The bytes as files in memory, where the system has such a place."""

    def __init__(self, data: bytes, sizes: tuple[int, ...] = ()) -> None:
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="mqtrail-fuzz-", dir=memory if memory.is_dir() else None))
        self.paths: list[Path] = []
        for start, end in pairwise(accumulate(sizes or (len(data),), initial=0)):
            self.paths.append(self._folder / f"case-{len(self.paths)}.pcap")
            self.paths[-1].write_bytes(data[start:end])

    def __enter__(self) -> list[Path]:
        return self.paths

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)


def run(seed: int, numbers: Iterable[int], *, dcom: bool = False) -> Tally:
    tally = Tally()
    for number in numbers:
        _run(tally, seed, number, case(seed, number, dcom=dcom), DCOM if dcom else KIND)
    return tally


def run_rest(scene: str, *kept: int) -> Tally:
    """Of the packets of a scene, those that were captured, by their places."""
    shots = record([BY_NAME[scene]], None)
    data = CONTAINERS["pcap"]([shots[place] for place in kept])
    tally = Tally()
    _run(tally, 0, 0, Case(f"{scene}, packets {kept}", data, _truth_of((scene,), None, coalesced=False)))
    return tally


def replay(finding: Finding) -> Tally:
    facts = finding.facts
    lists = facts["truth"]
    truth = None if lists is None else Truth(*(frozenset(map(tuple, one)) for one in lists))
    tally = Tally()
    one = Case(facts["what"], finding.data, truth, facts["lossless"], facts["payload_bytes"], tuple(facts["sizes"]))
    _run(tally, finding.seed, finding.number, one, finding.kind)
    return tally


def _fast_enough(seconds: float, size: int) -> None:
    if seconds > SLOW_SECONDS:
        raise Broken("a capture takes longer than two seconds", f"{seconds:.3f} s for {size} bytes")


def _run(tally: Tally, seed: int, number: int, one: Case, kind: str = KIND) -> None:
    tally.cases += 1
    try:
        with _written(one.data, one.sizes) as paths, limited():
            local, seconds = quickest(
                lambda: check(paths, one.truth, one.payload_bytes, lossless=one.lossless), SLOW_SECONDS
            )
            if one.payload_bytes is None:
                check_scan(paths[0])
        _fast_enough(seconds, len(one.data))
    except (Exception, Hang) as error:  # noqa: BLE001 - whatever it is, it is a finding
        what, trace = reason(error)
        truth = None if one.truth is None else one.truth.lists()
        facts = {
            "what": one.what,
            "truth": truth,
            "lossless": one.lossless,
            "payload_bytes": one.payload_bytes,
            "sizes": one.sizes,
        }
        tally.findings.append(Finding(kind, seed, number, what, trace, facts, one.data))
        return
    tally.slowest = max(tally.slowest, (seconds, f"{kind}:{number} {one.what}"))
    tally.count("refused", bool(local.refused))
    tally.count("with calls", bool(local.tables["calls"]))
    tally.count("with issues", bool(local.tables["issues"]))
    for row in local.tables["issues"]:
        tally.count(f"issue {row['code']}")
    for row in local.tables["calls"]:
        tally.count(f"call {row['outcome']}")
    for row in local.tables["pdus"]:
        tally.count(f"pdu {row['fate']}")
