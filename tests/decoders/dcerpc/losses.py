"""Protected conversations of which PDUs are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.decoders.dcerpc.feeding import Talk

Exchange: TypeAlias = "tuple[list[bytes], list[bytes]]"
SIZE = 40


class Sealing(Protocol):
    def request(self, stub: bytes, **more: Any) -> bytes: ...  # noqa: ANN401

    def response(self, stub: bytes, **more: Any) -> bytes: ...  # noqa: ANN401


def exchange(sealing: Sealing, count: int, size: int = SIZE) -> Exchange:
    """PDUs of so many calls, numbered from 1, in the order in which they are sent."""
    asked, answered = [], []
    for number in range(1, count + 1):
        asked.append(sealing.request(bytes([number]) * (size + number), call_id=number))
        answered.append(sealing.response(bytes([number]) * (2 * size + number), call_id=number))
    return asked, answered


def read_despite_losses(talk: Talk, sent: Exchange, data: st.DataObject) -> None:
    asked, answered = sent
    lost = data.draw(st.sets(st.tuples(st.booleans(), st.integers(0, len(asked) - 1))))
    for number in range(len(asked)):
        talk.client(len(asked[number]) if (True, number) in lost else asked[number])
        talk.server(len(answered[number]) if (False, number) in lost else answered[number])
    talk.over()
    for call in talk.calls:
        for part, size in ((call.request, SIZE), (call.response, 2 * SIZE)):
            assert part is None or part.stub == bytes([call.call_id]) * (size + call.call_id)
    assert {call.verified for call in talk.calls} <= {True}
    assert not {"rpc-signature-bad", "rpc-unsealing-lost"} & set(talk.codes)
