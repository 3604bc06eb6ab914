"""Scripts to packets, and to captures."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.builders import containers
from tests.builders.conversations import ACK, FIN, PSH, RST, SYN, Ends, Talk
from tests.builders.renewed import renewed
from tests.scripts import calls
from tests.scripts.language import parse
from tests.scripts.recipes import World
from tests.scripts.statements import (
    Alter,
    Answer,
    Ask,
    Call,
    Callback,
    Close,
    Connect,
    GiveUp,
    Reset,
    ScriptError,
    Side,
    Statement,
    Wait,
)
from tests.scripts.tape import Tape, Timed
from tests.scripts.wire import Wire, offered
from tests.scripts.words import PORTS, meaning

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIRST_CLIENT_PORT: Final = 50_001
FIRST_GROUP: Final = 0x1001
_OTHER_PORT: Final = 49_152
_FIRST_NUMBERS: Final = 1_000, 5_000_000
_NUMBERS: Final = (1 << 32) - (1 << 24)


class Context(NamedTuple):
    number: int
    syntax: str


@dataclass(slots=True)
class _Connection:
    setup: Connect
    talk: Talk
    wire: Wire
    group: int
    contexts: dict[str, Context] = field(default_factory=dict)
    """By interface."""
    proposed: int = 0
    """Contexts."""
    last_call: int = 1
    open: bool = True

    def next_call(self) -> int:
        """Its id."""
        last = self.setup.cycle
        self.last_call = 2 if last is not None and self.last_call > last else self.last_call + 1
        return self.last_call

    def propose(self, setup: Connect | Alter, more: int = 0) -> None:
        """Of the contexts for one interface the accepted one is used; `more`: others beside them."""
        names = offered(setup)
        if setup.syntax not in names:
            raise ScriptError(f"{setup.syntax!r} is not offered")
        self.contexts[setup.interface] = Context(self.proposed + names.index(setup.syntax), setup.syntax)
        self.proposed += len(names) + more

    def context(self, interface: str) -> Context:
        """The first one for what only its number tells."""
        return self.contexts.get(interface) or next(iter(self.contexts.values()))


@dataclass(slots=True)
class _Pending:
    connection: _Connection
    asked: calls.Asked
    call_id: int
    by_client: bool = True


def _initial_numbers(ends: Ends, before: int) -> tuple[int, int]:
    """[RFC 9293] 3.4.1, RFC 6528: those of the next connection of the same ends are anywhere."""
    if not before:
        return _FIRST_NUMBERS
    chance = random.Random(f"{ends} {before}")
    return chance.randrange(_NUMBERS), chance.randrange(_NUMBERS)


def play(script: str) -> list[Timed]:
    player = Player()
    player.read(script)
    return player.tape.frames


def write(path: Path, frames: Iterable[Timed]) -> None:
    packets = [containers.Packet(one.frame.captured, one.ts_us, one.frame.wire_len) for one in frames]
    renewed(path, containers.pcap(packets))


def capture(folder: Path, script: str, name: str = "script.pcap") -> Path:
    path = folder / name
    write(path, play(script))
    return path


def captures(folder: Path, script: str) -> list[Path]:
    """A file for each tap, in the order of their names."""
    frames = play(script)
    paths = []
    for tap in sorted({one.tap for one in frames}):
        paths.append(folder / f"{tap or 'script'}.pcap")
        write(paths[-1], (one for one in frames if one.tap == tap))
    return paths


class Player:
    """Reads a script at once or piece by piece; `tape` has what was sent so far."""

    def __init__(self) -> None:
        self.tape = Tape()
        self._lines = 0
        self._connections: list[_Connection] = []
        self._pending: dict[str, _Pending] = {}
        self._world = World()

    def read(self, script: str) -> None:
        for statement in parse(script, self._lines + 1):
            try:
                self._perform(statement)
            except (ScriptError, ValueError, TypeError, struct.error) as error:
                raise ScriptError(f"line {statement.line}: {error}") from error
        self._lines += len(script.splitlines())

    def _perform(self, statement: Statement) -> None:
        match statement:
            case Connect():
                self._connect(statement)
            case Alter():
                self._alter(statement, self._named(statement.name))
            case Call():
                self._answer(statement.line, self._ask(statement.ask), statement.answered)
            case Ask():
                label = statement.label or ""
                if label in self._pending:
                    raise ScriptError(f"{label!r} waits for its answer already")
                self._pending[label] = self._ask(statement)
            case Answer():
                self._answer(statement.line, self._waiting(statement.label), statement.answered)
                del self._pending[statement.label]
            case Callback():
                self._answer(statement.line, self._call_back(statement.ask), statement.answered)
            case GiveUp():
                waiting = self._waiting(statement.label)
                said = waiting.connection.wire.give_up(statement.about, waiting.call_id)
                self.tape.say(
                    waiting.connection.talk, statement.line, statement.about, said, from_client=True, lost=False
                )
            case Close():
                self._close(statement.line, self._named(statement.name), by_client=not statement.by_server)
            case Reset():
                connection = self._named(statement.name)
                self.tape.send(connection.talk, statement.line, "rst", RST | ACK, from_client=not statement.by_server)
                connection.open = False
            case Wait():
                self.tape.pause_us += statement.us

    def _connect(self, setup: Connect) -> None:
        group, asked = FIRST_GROUP + len(self._connections), 0
        if setup.group != "new":
            group = asked = self._find(setup.group).group
        group = group if setup.grants is None else setup.grants
        asked = asked if setup.asks is None else setup.asks
        port = setup.port or PORTS.get(setup.interface, _OTHER_PORT)
        client_port = setup.source or FIRST_CLIENT_PORT + len(self._connections)
        ends = Ends(client_port, port, setup.client, setup.server)
        before = sum(one.talk.ends == ends for one in self._connections)
        talk = Talk(ends, *_initial_numbers(ends, before))
        wire = Wire(setup, port, group, asked, f"{client_port}" if before == 0 else f"{client_port} {before}")
        connection = _Connection(setup, talk, wire, group)
        connection.propose(setup, 0 if setup.features is None else 1)
        self._connections.append(connection)
        self.tape.place(talk, setup.tap)
        if setup.midstream:
            talk.join()
        else:
            self._open(connection)

    def _open(self, connection: _Connection) -> None:
        setup, wire = connection.setup, connection.wire
        opening = [
            ("syn", SYN, b"", True),
            ("syn_ack", SYN | ACK, b"", False),
            ("ack", ACK, b"", True),
            ("bind", PSH | ACK, wire.bind(), True),
        ]
        if setup.refused and setup.rejects is None:
            opening.append(("bind_nak", PSH | ACK, wire.bind_nak(), False))
        else:
            opening.append(("bind_ack", PSH | ACK, wire.bind_ack(), False))
        if wire.secured and not setup.refused:
            opening.append(("auth3", PSH | ACK, wire.auth3(), True))
        for about, flags, payload, from_client in opening:
            lost = about in setup.lose
            self.tape.send(connection.talk, setup.line, about, flags, payload, from_client=from_client, lost=lost)
        if setup.refused:
            self._close(setup.line, connection)

    def _alter(self, setup: Alter, connection: _Connection) -> None:
        number, call_id, wire = connection.proposed, connection.next_call(), connection.wire
        said = ("alter", wire.alter(setup, number, call_id)), ("alter_resp", wire.alter_resp(setup, call_id))
        for about, data in said:
            from_client, lost = about == "alter", about in setup.lose
            self.tape.say(connection.talk, setup.line, about, data, from_client=from_client, lost=lost)
        connection.propose(setup)

    def _ask(self, ask: Ask) -> _Pending:
        if calls.is_callback(ask.operation):
            raise ScriptError(f"{ask.operation!r} is a callback: 'callback LABEL {ask.operation}'")
        connection = self._speaking(ask)
        return self._asked(ask, connection, connection.next_call(), by_client=True)

    def _call_back(self, ask: Ask) -> _Pending:
        """[MS-RPCE] 3.3.1.5.9: with the call id of the call that waits."""
        if not calls.is_callback(ask.operation):
            raise ScriptError(f"{ask.operation!r} is no callback")
        waiting = self._waiting(ask.label or "")
        return self._asked(ask, waiting.connection, waiting.call_id, by_client=False)

    def _asked(self, ask: Ask, connection: _Connection, call_id: int, *, by_client: bool) -> _Pending:
        self._prepare(connection)
        spoken = calls.spoken_as(ask.operation, connection.contexts)
        ctx, syntax = connection.context(spoken or "")
        asked = calls.ask(ask.operation, ask.asked.values, self._world, syntax, spoken)
        wire = connection.wire
        data = wire.request(asked.stub, asked.opnum, call_id, from_client=by_client, ctx=ctx, of=asked.object)
        self.tape.say(connection.talk, ask.line, "request", data, from_client=by_client, lost=ask.asked.lost)
        return _Pending(connection, asked, call_id, by_client)

    def _answer(self, line: int, pending: _Pending, side: Side) -> None:
        connection, from_client = pending.connection, not pending.by_client
        if side.none:
            return
        if not connection.open:
            raise ScriptError(f"{connection.setup.name!r} is closed")
        self.tape.pause_us += side.after_us or 0
        self._prepare(connection)
        ctx, syntax = connection.context(pending.asked.interface)
        values = dict(side.values)
        if "fault" in values:
            status = meaning("fault", values.pop("fault"))
            about, data = "fault", connection.wire.fault(status, pending.call_id, from_client=from_client, ctx=ctx)
            if values:
                raise ScriptError(f"{next(iter(values))!r} beside a fault")
        else:
            stub = calls.answer(pending.asked, values, self._world, syntax)
            about, data = "response", connection.wire.response(stub, pending.call_id, from_client=from_client, ctx=ctx)
        self.tape.say(connection.talk, line, about, data, from_client=from_client, lost=side.lost)
        self.tape.send(connection.talk, line, "ack", ACK, from_client=pending.by_client)

    def _waiting(self, label: str) -> _Pending:
        if label not in self._pending:
            raise ScriptError(f"nothing was asked as {label!r}")
        return self._pending[label]

    def _close(self, line: int, connection: _Connection, *, by_client: bool = True) -> None:
        self.tape.send(connection.talk, line, "fin", FIN | ACK, from_client=by_client)
        self.tape.send(connection.talk, line, "fin", FIN | ACK, from_client=not by_client)
        self.tape.send(connection.talk, line, "ack", ACK, from_client=by_client)
        connection.open = False

    def _prepare(self, connection: _Connection) -> None:
        self._world.seconds = self.tape.next_us // 1_000_000
        self._world.server = connection.setup.server

    def _speaking(self, ask: Ask) -> _Connection:
        interface = calls.interface_of(ask.operation)
        if ask.connection is not None:
            return self._named(ask.connection)
        for connection in reversed(self._connections):
            if connection.open and calls.spoken_as(ask.operation, connection.contexts) is not None:
                return connection
        raise ScriptError(f"no open connection speaks {interface}, which {ask.operation!r} needs")

    def _named(self, name: str | None) -> _Connection:
        """An open one; the last opened where no name is given."""
        connection = self._find(name)
        if not connection.open:
            raise ScriptError(f"{connection.setup.name!r} is closed")
        return connection

    def _find(self, name: str | None) -> _Connection:
        for connection in reversed(self._connections):
            if connection.setup.name == name or (name is None and connection.open):
                return connection
        raise ScriptError(f"there is no connection {name!r}" if name else "there is no open connection")
