"""What an application does with a queue, as far as chance seldom shows it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.conforming.supported_session import SupportedSession

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.schedule import Until
    from tests.conforming.transport import Values

_RECEIVE = 0x01


class _Binding:
    """Its server has a message that is larger than the buffer."""

    lost = False

    def __init__(self, world: Any) -> None:  # noqa: ANN401 - a world in which nothing is left to chance
        self.owner, self.server = SimpleNamespace(world=world), None
        self.asked: list[tuple[str, object]] = []
        self.ends: SupportedSession | None = None
        """Whose transaction another thread ends while the server works."""

    def connection(self) -> None: ...

    def ask(self, operation: str, values: Values, *_: str) -> Generator[Until | None, None, Values]:
        self.asked.append((operation, values.get("transaction")))
        yield None
        if self.ends is not None:
            self.ends.units.name = "null"
        return {"status": "MQ_ERROR_BUFFER_OVERFLOW", "pBodySize": 700}


@pytest.mark.parametrize(("ended", "receives"), [(False, ["T1", "T1"]), (True, ["T1"])])
def test_larger_buffer_is_tried_in_a_transaction_that_is_under_way(ended: bool, receives: list[str]) -> None:
    """[MS-MQMP] 3.1.5.3: pUow names one that is enlisted."""
    world = SimpleNamespace(
        likely=lambda _: False,
        one_of=lambda values: values[-1],
        name=lambda kind: f"{kind}1",
        chance=SimpleNamespace(randint=lambda *_: 1),
        plant=SimpleNamespace(omits=lambda *_: False),
    )
    binding: Any = _Binding(world)
    place, queue = binding.server, SimpleNamespace(transactional=False)
    session = SupportedSession(binding, place, queue, "Q1", 1, _RECEIVE, "u1", direct=True)  # type: ignore[arg-type]
    session.units.name = "T1"
    binding.ends = session if ended else None
    list(session.use())
    assert [unit for operation, unit in binding.asked if operation == "rpc_ACReceiveMessageEx"] == receives
