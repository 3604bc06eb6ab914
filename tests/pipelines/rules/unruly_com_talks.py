"""Random conversations of DCOM: objects are made, called, counted and given back by one host or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random

HOSTS: Final = ("10.0.0.5", "10.0.0.6")
_NAMES: Final = tuple("ABCDEF")
_DENIED: Final = "fault=0x80010108"


class _Client:
    """One host with its connections: to the resolver, and two to the exporter."""

    def __init__(self, host: str, rng: random.Random) -> None:
        self._rng, self._key = rng, host.rpartition(".")[2]
        self.held: dict[str, int] = {}
        auth = rng.choice(("integrity", "integrity", "integrity", "privacy"))
        self.opening = [f"connect r{self._key} interface IRemoteSCMActivator from {host}"]
        self.opening.append(f"connect o{self._key} interface IObjectExporter from {host}")
        for letter in "ab":
            name = f"{letter}{self._key}"
            level = auth if letter == "b" else "integrity"
            self.opening.append(f"connect {name} interface IMSMQQueueInfo from {host} auth {level}")
            self.opening += [f"alter {name} interface {one}" for one in ("IDispatch", "IRemUnknown")]

    def say(self) -> str:
        return self._rng.choice((
            self._activate, self._invoke, self._invoke, self._query, self._count, self._release, self._stale,
            self._stale, self._describe, self._odd, self._wait, self._ping, self._ping,
        ))()  # fmt: skip

    def closing(self) -> list[str]:
        return [f"close {letter}{self._key}" for letter in "abor" if self._rng.random() < 0.9]

    def _on(self) -> str:
        return f"{self._rng.choice('ab')}{self._key}: "

    def _name(self) -> str:
        return self._rng.choice(_NAMES)

    def _gain(self, name: str, count: int) -> None:
        self.held[name] = self.held.get(name, 0) + count

    def _activate(self) -> str:
        name, minor = self._name(), self._rng.choice((7, 7, 7, 6))
        count = self._rng.choice((5, 5, 0))
        self._gain(name, count)
        return f"r{self._key}: RemoteCreateInstance -> gives=[{name}] minor={minor} public={count}"

    def _invoke(self) -> str:
        name, given = self._name(), self._name()
        dead = not self.held.get(name) and self._rng.random() < 0.8
        if dead:
            return f"{self._on()}Invoke object={name} -> {_DENIED}"
        if self._rng.random() < 0.5:
            return f"{self._on()}Invoke object={name}"
        self._gain(given, 5)
        return f"{self._on()}Invoke object={name} -> gives={given}"

    def _query(self) -> str:
        name, given = self._name(), self._name()
        self._gain(given, 5)
        odd = self._rng.choice(("", "", " oid=0x77", " public=3"))
        return f"{self._on()}RemQueryInterface ripid={name} iids=[IDispatch] -> gives=[{given}]{odd}"

    def _count(self) -> str:
        name = self._name()
        self._gain(name, 2)
        return f"{self._on()}RemAddRef refs=[[{name}, 2]]"

    def _release(self) -> str:
        name = self._name()
        count = self.held.pop(name, 0) or 5
        return f"{self._on()}RemRelease refs=[[{name}, {count}]]"

    def _stale(self) -> str:
        """What was given back is called later, and denied."""
        name = next(iter(self.held), "A")
        count = self.held.pop(name, 0) or 5
        release = f"{self._on()}RemRelease refs=[[{name}, {count}]]"
        return f"{release}\nwait 3m\n{self._on()}Invoke object={name} -> {_DENIED}"

    def _describe(self) -> str:
        given = self._name()
        self._gain(given, 5)
        return f"{self._on()}GetTypeInfo object={self._name()} -> gives={given}"

    def _ping(self) -> str:
        number = self._rng.choice((0, 0x51, 0x51))
        told = f"pSetId={number} SequenceNum={self._rng.randint(1, 4)}" if number else ""
        after = self._rng.choice(("", "wait 2m\n"))
        simple = f"o{self._key}: SimplePing pSetId={number}"
        return self._rng.choice((simple, f"{after}o{self._key}: ComplexPing {told}"))

    def _odd(self) -> str:
        return self._on() + self._rng.choice((
            "Invoke flags=1 -> fault=0x80010111",
            "Invoke MinorVersion=6",
            "Invoke dwFlags=4 rgvarg=[1]",
            "GetTypeInfo iTInfo=2 -> status=0x8002000B",
            "Invoke -> status=0x80020009",
        ))  # fmt: skip

    def _wait(self) -> str:
        return f"wait {self._rng.choice(('10ms', '5s', '3m'))}"


def com_talk(rng: random.Random) -> str:
    clients = [_Client(host, rng) for host in HOSTS[: rng.randint(1, 2)]]
    lines = [line for client in clients for line in client.opening]
    lines += [rng.choice(clients).say() for _ in range(rng.randint(5, 25))]
    return "\n".join((*lines, *(line for client in clients for line in client.closing())))
