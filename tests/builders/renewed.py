"""A file that is written again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def renewed(path: Path, data: bytes | bytearray) -> Path:
    """Another file under the same name.

    A file that is cut to nothing and filled again is written to the disk when it is closed (ext4's auto_da_alloc), and
    the next to do so waits for it: as long as a conversation takes to decode. One that is removed never gets there.
    """
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path
