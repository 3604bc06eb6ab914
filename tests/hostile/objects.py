"""COM: exporters, objects, references, pings, names of types, VARIANTs in VARIANTs; and values that are long to write."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from decoders.oaut.building import bstr, variant
from tests.builders import com_values as c
from tests.builders.com_talk import ComTalk
from tests.builders.conversations import Ends, frames
from tests.hostile.tape import Tape
from tests.pipelines.com import story

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

_PORTS = range(20_000, 60_000)


def _played(size: int, talks: Iterator[ComTalk]) -> bytes:
    """What was said is written as soon as it is; a talk may come again with more."""
    tape = Tape(size)
    while not tape.full():
        talk = next(talks)
        for packet in talk.packets:
            for one in frames(talk.talk.ends, packet):
                tape.packet(one.captured)
        talk.packets.clear()
    return tape.octets()


def many_exporters(size: int, _: random.Random) -> bytes:
    """Every activation of another process with another object."""

    def talks() -> Iterator[ComTalk]:
        for number in itertools.count(1):
            factory = (c.FACTORY, c.objref(c.FACTORY, number, number, c.ipid(2 * number)))
            told = c.activated(number, c.ipid(2 * number + 1), story.where(49_700 + number % 9_000), factory)
            talk = ComTalk(Ends(_PORTS[number % len(_PORTS)], 135)).bind(c.ACTIVATOR)
            asked = {"orpcthis": c.this(1), "pActProperties": c.wanted(c.MMC, c.FACTORY)}
            answered = {"orpcthat": c.that(1), "ppActProperties": told, "return_value": 0}
            yield talk.native(c.ACTIVATOR, "RemoteGetClassObject", asked, answered)

    return _played(size, talks())


def _exporter() -> ComTalk:
    return ComTalk(story.EXPORTER_ENDS).bind(c.FACTORY, c.REMOTE_UNKNOWN2, c.DISPATCH)


def many_objects(size: int, _: random.Random) -> bytes:
    """A factory that makes objects without end, none released."""

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = _exporter()
        for number in itertools.count(10):
            made = c.pointer(c.objref(c.DISPATCH, story.OXID, number, c.ipid(0x1000 + number)))
            yield talk.orpc(c.FACTORY, "CreateInstance", story.FACTORY, {"riid": c.DISPATCH}, {"ppUnknown": made})

    return _played(size, talks())


def many_interfaces(size: int, _: random.Random) -> bytes:
    """One object, asked again and again for an interface: each answer with an IPID of its own."""

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = story.created(_exporter())
        for number in itertools.count(0x1000):
            yield story.queried(talk, story.OBJECT, c.DISPATCH, c.ipid(number))

    return _played(size, talks())


def many_counts(size: int, _: random.Random) -> bytes:
    """References of one interface counted up and down, hundreds a call."""
    refs = [{"ipid": story.OBJECT, "cPublicRefs": 1, "cPrivateRefs": 0}] * 200

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = story.created(_exporter())
        asked = {"cInterfaceRefs": len(refs), "InterfaceRefs": refs}
        while True:
            told = {"pResults": [0] * len(refs)}
            yield talk.orpc(c.REMOTE_UNKNOWN2, "RemAddRef", story.REMOTE_UNKNOWN, asked, told)
            yield talk.orpc(c.REMOTE_UNKNOWN2, "RemRelease", story.REMOTE_UNKNOWN, asked, {})

    return _played(size, talks())


def many_pings(size: int, _: random.Random) -> bytes:
    """Ping sets of a hundred objects each, pinged in turn."""

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = ComTalk(Ends(50_002, 135)).bind(c.RESOLVER)
        for number in itertools.count(1):
            oids = [number * 100 + one for one in range(100)]
            asked = {"pSetId": 0, "SequenceNum": 1, "cAddToSet": 100, "cDelFromSet": 0, "AddToSet": oids}
            answered = {"pSetId": number, "pPingBackoffFactor": 0, "return_value": 0}
            yield talk.native(c.RESOLVER, "ComplexPing", asked | {"DelFromSet": None}, answered)
            yield talk.native(c.RESOLVER, "SimplePing", {"pSetId": 1 + number // 2}, {"return_value": 0})

    return _played(size, talks())


def many_names(size: int, _: random.Random) -> bytes:
    """Names of members asked for without end, each with a number of its own."""

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = story.created(_exporter())
        for number in itertools.count(1):
            yield story.named(talk, f"Member{number}", number)

    return _played(size, talks())


def nested_variants(size: int, _: random.Random) -> bytes:
    """VARIANTs in VARIANTs as arguments of Invoke."""
    deep: Any = variant(story.VT_BSTR, bstr("x"))
    for _depth in range(12):
        deep = variant(0x400C, deep)

    def talks() -> Iterator[ComTalk]:
        yield story.activation()
        talk = story.created(_exporter())
        while True:
            yield talk.orpc(c.DISPATCH, "Invoke", story.DISPATCH, c.invoked(story.EXECUTE, *[deep] * 20), c.returned())

    return _played(size, talks())


IDEAS = (many_exporters, many_objects, many_interfaces, many_counts, many_pings, many_names, nested_variants)
