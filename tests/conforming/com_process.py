"""A process that speaks DCOM: in NDR, and without features of binds that its documents do not ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conforming.runtime import Process

if TYPE_CHECKING:
    from tests.conforming.transport import Association, Connection, Endpoint


class ComProcess(Process):
    def _syntaxes(self, _: Endpoint, __: str) -> str:
        return "syntax ndr"

    def _version(self, connection: Connection) -> str:
        """[MS-DCOM] 2.1: of every interface it is 0.0."""
        return "version 1.0 " if self.world.plant.omits("version", connection) else ""

    def _features(self, _: Endpoint, __: Association) -> str:
        return ""
