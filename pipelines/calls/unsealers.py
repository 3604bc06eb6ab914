"""Whatever opens sealed PDUs, for each connection anew."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoders.dcerpc.unsealing import Unsealer
    from decoders.security.accounts import Secret


def unsealers(secrets: Sequence[Secret]) -> Callable[[], Unsealer | None]:
    if not secrets:
        return lambda: None
    from decoders.dcerpc.unsealing import Unsealer  # noqa: PLC0415 - impacket is for those who have secrets
    from decoders.security.keyring import Keyring  # noqa: PLC0415

    return partial(Unsealer, Keyring(secrets))
