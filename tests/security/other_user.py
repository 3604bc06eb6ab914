"""Plays another user of the machine, or of its network, while a run lasts; and one who may read the run's own files.

The latter because what lies there in the clear outlives a kill, and is in backups.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import stat
import struct
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Collection, Iterator

EVERY_SECONDS: Final = 0.3
FILES_EVERY_SECONDS: Final = 0.05
ANSWER_SECONDS: Final = 0.5
MOST_BYTES: Final = 1 << 20
BROADCASTS: Final = 60
KNOCKS: Final = (b"", b"GET / HTTP/1.0\r\n\r\n", b"c\nt\ntoString\ne\n", b"\0" * 64)
"""Nothing, a browser, a client of py4j without its token, nonsense."""
_LISTENS: Final = "0A"
_CHUNK_FETCH, _CHUNK, _RPC, _RPC_ANSWER = 0, 1, 3, 4
"""Messages of Spark's org.apache.spark.network.protocol."""
_OPEN_BLOCKS: Final = 0


class OtherUser:
    def __init__(self, process: subprocess.Popen[bytes], folder: Path, wanted: Collection[bytes]) -> None:
        """`folder`: where the process writes temporarily. `wanted`: what must be found nowhere."""
        self._process, self._folder, self._wanted = process, folder, wanted
        self.listening: set[tuple[str, int]] = set()
        self.files: set[str] = set()
        """That were read, relative to the folder."""
        self.open_to_others: set[str] = set()
        self.found: set[str] = set()
        """Places of what is wanted."""

    def watch(self) -> None:
        """Until the process ends."""
        # Files come and go while a port is asked.
        reader = threading.Thread(target=self._read_files_until_the_end)
        reader.start()
        while self._process.poll() is None:
            processes = list(_family(self._process.pid))
            for one in processes:
                for name in ("cmdline", "environ"):
                    self._search(f"/proc/{one}/{name}", _bytes_of(Path(f"/proc/{one}/{name}")))
            for place in _ports(processes):
                self.listening.add(place)
                for answer in (*(_answer(place, knock) for knock in KNOCKS), *_blocks(place)):
                    self._search(f"port {place}", answer)
            time.sleep(EVERY_SECONDS)

        reader.join()

    def _read_files_until_the_end(self) -> None:
        while self._process.poll() is None:
            with contextlib.suppress(FileNotFoundError):  # a folder that went meanwhile
                self._read_files()
            time.sleep(FILES_EVERY_SECONDS)

    def _read_files(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            for entry in self._folder.iterdir():
                if entry.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                    self.open_to_others.add(entry.name)
        for path in self._folder.rglob("*"):
            with contextlib.suppress(OSError):
                if stat.S_ISREG(path.stat().st_mode):
                    self.files.add(str(path.relative_to(self._folder)))
                    self._search(str(path), _bytes_of(path))

    def _search(self, place: str, data: bytes) -> None:
        self.found.update(f"{place}: {one!r}" for one in self._wanted if one in data)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # gone since
        return b""


def _family(process: int) -> Iterator[int]:
    """It and all that came from it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = [process]
    for one in found:
        yield one
        found += [child for child, parent in parents.items() if parent == one]


def _ports(processes: list[int]) -> set[tuple[str, int]]:
    owned = set()
    for one in processes:
        with contextlib.suppress(OSError):
            owned |= {str(link.readlink()) for link in Path(f"/proc/{one}/fd").iterdir()}
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == _LISTENS and f"socket:[{words[9]}]" in owned:
                found.add(_place(words[1]))
    return found


def _place(text: str) -> tuple[str, int]:
    """Of "0100007F:0016": words of four bytes in the machine's order, which is little-endian here."""
    address, _, port = text.partition(":")
    packed = b"".join(bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8))
    found = ipaddress.ip_address(packed)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found), int(port, 16)


def _answer(place: tuple[str, int], knock: bytes) -> bytes:
    heard = b""
    with contextlib.suppress(OSError), socket.create_connection(place, ANSWER_SECONDS) as connection:
        connection.sendall(knock)
        while len(heard) < MOST_BYTES and (part := connection.recv(65_536)):
            heard += part
    return heard


def _blocks(place: tuple[str, int]) -> Iterator[bytes]:
    """What a client that knows no secret gets of the block manager's broadcasts."""
    with contextlib.suppress(OSError, EOFError), socket.create_connection(place, ANSWER_SECONDS) as connection:
        for number in range(BROADCASTS):
            names = _text("app"), _text("driver"), struct.pack(">i", 1), _text(f"broadcast_{number}_piece0")
            body = bytes([_OPEN_BLOCKS]) + b"".join(names)
            kind, answer = _spoken(connection, _RPC, struct.pack(">qi", number, len(body)) + body)
            yield answer
            if kind == _RPC_ANSWER:
                (stream,) = struct.unpack_from(">q", answer, 13)
                yield _spoken(connection, _CHUNK_FETCH, struct.pack(">qi", stream, 0))[1]


def _text(text: str) -> bytes:
    return struct.pack(">i", len(text)) + text.encode()


def _spoken(connection: socket.socket, kind: int, body: bytes) -> tuple[int, bytes]:
    """A frame there and one back: its length with itself, its kind, the rest."""
    connection.sendall(struct.pack(">qb", 9 + len(body), kind) + body)
    length, answered = struct.unpack(">qb", _exactly(connection, 9))
    return answered, _exactly(connection, min(length - 9, MOST_BYTES))


def _exactly(connection: socket.socket, length: int) -> bytes:
    heard = b""
    while len(heard) < length:
        part = connection.recv(length - len(heard))
        if not part:
            raise EOFError
        heard += part
    return heard
