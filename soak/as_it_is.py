"""The command line, as a module that any interpreter with this folder on its path can run."""

from __future__ import annotations

import sys

from pipelines.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
