"""The one name that is ours alone on anybody's Python path; it guards the four that are not.

`decoders`, `schemas`, `ingest` and `pipelines` are names that others use too. Once this package is imported they are
found beside it, whatever lies in the current folder, beside a notebook or in PYTHONPATH. docs/adr/0023 says why.
"""

from __future__ import annotations

import gc
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtrail.garbage import seldom_collect

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

PACKAGES: Final = ("decoders", "schemas", "ingest", "pipelines")
HOME: Final = Path(__file__).resolve().parents[1]
"""Of this package and of those: a checkout, site-packages, or a zip."""


class _BesideUs:
    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [str(HOME)]) if name in PACKAGES else None


def main(arguments: Sequence[str] | None = None, *, program: bool = False) -> int:
    """The command `mqtrail`; from within another program, which goes on, unless it is said to be `program`."""
    from pipelines.cli import main as command  # noqa: PLC0415 - workers import this package too

    return command(arguments, program=program)


def command() -> int:
    """`main` as a program: the process ends with it."""
    seldom_collect()
    code = main(program=True)
    # The end of the interpreter would go through all that the libraries have made, which takes them a second.
    gc.freeze()
    return code


def _guard() -> None:
    for name in PACKAGES:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and Path(file).resolve() != HOME / name / "__init__.py":
            raise ImportError(f"{file} is imported as {name}, and mqtrail has a module of that name; rename yours")
    sys.meta_path.insert(0, _BesideUs)


_guard()
