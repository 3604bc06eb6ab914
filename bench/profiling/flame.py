"""A flame graph: every box is a function, as wide as its time, above the one that called it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.profiling.stacks import Stack

_WIDTH, _ROW, _MARGIN, _TITLE = 1_600, 17, 10, 34
_THINNEST: Final = 0.4
"""Boxes of fewer pixels are not drawn."""
_LETTER: Final = 6.6
_HUES: Final = {"decoders": 205, "pipelines": 25, "ingest": 150, "schemas": 280, "pyspark": 55, "pyarrow": 340}
"""By the package of the function; others are grey."""


@dataclass(slots=True)
class _Box:
    seconds: float = 0.0
    inner: dict[str, _Box] = field(default_factory=dict)


def flame(stacks: dict[Stack, float], title: str) -> str:
    """An SVG that needs nothing else; a box says its time when the pointer is over it."""
    root = _Box()
    for stack, seconds in stacks.items():
        root.seconds += seconds
        box = root
        for name in stack:
            box = box.inner.setdefault(name, _Box())
            box.seconds += seconds
    boxes = list(_laid_out(root)) if root.seconds else []
    depth = max((level for level, *_ in boxes), default=0) + 1
    height = _TITLE + depth * _ROW + _MARGIN
    scale = (_WIDTH - 2 * _MARGIN) / root.seconds if root.seconds else 0.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="monospace">',
        "<style>text { font-size: 11px } text.title { font-size: 14px }</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="21" class="title">{escape(title)}: {root.seconds:,.1f} s</text>',
    ]
    for level, start, seconds, name in boxes:
        width = seconds * scale
        if width >= _THINNEST:
            y = height - _MARGIN - (level + 1) * _ROW
            lines.append(_drawn(_MARGIN + start * scale, y, width, name, seconds, seconds / root.seconds))
    return "\n".join([*lines, "</svg>", ""])


def _laid_out(root: _Box) -> Iterator[tuple[int, float, float, str]]:
    """Level, start and length in seconds, name. Without recursion: stacks may be deep."""
    waiting = [(root, 0, 0.0)]
    while waiting:
        box, level, start = waiting.pop()
        for name, inner in sorted(box.inner.items()):
            yield level, start, inner.seconds, name
            waiting.append((inner, level + 1, start))
            start += inner.seconds


def _drawn(x: float, y: float, width: float, name: str, seconds: float, share: float) -> str:
    room = int((width - 4) / _LETTER)
    short = name if len(name) <= room else f"{name[: room - 1]}…"
    text = f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(short)}</text>' if room > 3 else ""
    says = escape(f"{name}: {seconds:.2f} s, {share:.1%}")
    box = f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.3, 0.2):.1f}" height="{_ROW - 1}" fill="{_colour(name)}"/>'
    return f"<g><title>{says}</title>{box}{text}</g>"


def _colour(name: str) -> str:
    hue = _HUES.get(name.partition(".")[0])
    # Neighbours differ a little, and a function always looks the same.
    light = 68 + zlib.crc32(name.encode()) % 14
    return f"hsl(0,0%,{light}%)" if hue is None else f"hsl({hue},75%,{light}%)"
