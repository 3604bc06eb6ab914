"""No deadlines: the first example of a run imports and compiles, and machines that run tests are busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")
