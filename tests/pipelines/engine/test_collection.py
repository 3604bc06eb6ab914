"""The garbage collector works as before when a task is over, also when it failed."""

from __future__ import annotations

import gc

import pytest

from pipelines.engine.collection import rarely_collected


@pytest.mark.parametrize("error", [None, ValueError])
def test_everything_is_as_before(error: type[Exception] | None) -> None:
    before = gc.get_threshold()
    try:
        with rarely_collected():
            assert gc.get_threshold() > before
            assert gc.get_freeze_count()
            if error is not None:
                raise error
    except ValueError:
        pass
    assert gc.get_threshold() == before
    assert not gc.get_freeze_count()
