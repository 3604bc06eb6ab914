"""A process that speaks DCOM: in NDR, and without features of binds that its documents do not ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conforming.runtime import Process

if TYPE_CHECKING:
    from tests.conforming.transport import Association, Endpoint


class ComProcess(Process):
    def _syntaxes(self, _: Endpoint, __: str) -> str:
        return "syntax ndr"

    def _features(self, _: Endpoint, __: Association) -> str:
        return ""
