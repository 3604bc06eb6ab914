"""Of which hosts a run knows something new, and the facts of earlier runs that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.versions import known_versions
from pipelines.store.removal import NotAmong

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.facts.versions import Version
    from pipelines.store.files import StoredFile
    from pipelines.store.removal import Held
    from schemas.internal_rows import VersionRow


def changed_hosts(versions: Mapping[str, Version], before: Sequence[VersionRow]) -> frozenset[str]:
    """Hosts of which another version, or none any more, is known now: verdicts may differ wherever they are met."""
    known = known_versions(before)
    return frozenset(host for host in versions.keys() | known.keys() if versions.get(host) != known.get(host))


def earlier_facts(earlier: Sequence[StoredFile], replaced: frozenset[str]) -> list[Held]:
    keeps = NotAmong("uid", replaced) if replaced else None
    return [(file, keeps) for file in earlier]
