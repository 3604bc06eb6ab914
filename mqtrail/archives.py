"""Spark's own Python, which it puts in front of all other places that workers look for modules in."""

from __future__ import annotations

import re
import sys
from importlib.machinery import PathFinder
from typing import Final

_ARCHIVE: Final = re.compile(r"[/\\](pyspark|py4j-[^/\\]*|spark-core_[^/\\]*)\.(zip|jar)([/\\]|$)")


def without_archives() -> None:
    """Take it from where it is installed, if it is.

    The modules of an archive are compiled anew by each process that imports them, and before each task Spark makes the
    process read the list of files of each archive again: a tenth of a second a task.
    """
    places = [place for place in sys.path if not _ARCHIVE.search(place)]
    if PathFinder.find_spec("pyspark", places) is None or PathFinder.find_spec("py4j", places) is None:
        return
    sys.path[:] = places
    for place in [place for place in sys.path_importer_cache if _ARCHIVE.search(place)]:
        del sys.path_importer_cache[place]
