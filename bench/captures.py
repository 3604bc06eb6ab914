"""The captures that are measured: made here, always the same, kept from one run to the next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.containers import FILE_HEADERS, record_lengths, records
from bench.frames import frame_lengths, frames
from bench.realistic import recipes as realistic
from bench.traffic import make_traffic

if TYPE_CHECKING:
    from bench.containers import Format
    from bench.traffic import Traffic

DATA: Final = Path(__file__).parent / "data"
DEFAULT_PACKETS: Final = 1_000_000
_BLOCK_PACKETS: Final = 50_000


@dataclass(frozen=True, slots=True)
class Recipe:
    format: Format
    share: float = 1.0
    """Of the packets asked for."""
    vxlan: bool = False
    seed: int = 1

    def packets(self, asked: int) -> int:
        return max(1, round(asked * self.share))

    def traffic(self, asked: int) -> Traffic:
        return make_traffic(self.packets(asked), self.seed)


RECIPES: Final = {
    "headers": Recipe("pcap"),
    "headers-ng": Recipe("pcapng"),
    "vxlan": Recipe("pcap", share=0.2, vxlan=True, seed=2),
}
MSMQ: Final = "msmq"
"""The mixed capture of whole runs, a smaller one."""
_MSMQ_BYTES: Final = 62
"""For each of the packets asked for, a fifth of which it has."""


def capture(name: str, asked: int, folder: Path = DATA) -> Path:
    """The capture's file, made if there is none of the right size."""
    if name == MSMQ:
        return realistic.capture("mixed", f"{max(1, asked * _MSMQ_BYTES // 1_000)}KB", folder)
    recipe = RECIPES[name]
    traffic = recipe.traffic(asked)
    lengths = frame_lengths(traffic, vxlan=recipe.vxlan)
    header = FILE_HEADERS[recipe.format]
    size = len(header) + int(record_lengths(recipe.format, lengths).sum())
    path = folder / f"{name.removesuffix('-ng')}-{_short(len(traffic))}.{recipe.format}"
    if path.exists() and path.stat().st_size == size:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(header)
        for first in range(0, len(traffic), _BLOCK_PACKETS):
            rows = slice(first, first + _BLOCK_PACKETS)
            part = traffic.part(rows)
            octets = frames(part, recipe.seed + first, vxlan=recipe.vxlan)
            file.write(records(recipe.format, octets, lengths[rows], part.ts_us).data)
    partial.replace(path)
    return path


def _short(count: int) -> str:
    for unit, letter in ((1_000_000, "m"), (1_000, "k")):
        if count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)
