"""How the JVMs of tests start. Nothing but time depends on it."""

from __future__ import annotations

from typing import Final

from pipelines.engine import jvm_archive

QUICK_JAVA: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of code that runs once, to compile it well takes longer than to run it."""


def java_tool_options() -> str:
    """Value of JAVA_TOOL_OPTIONS, for JVMs that mqtrail does not start itself.

    The archive of Spark's classes (ADR 24) fits where Spark's jars alone are on the class path: a folder of settings
    before them must not be there.
    """
    java = jvm_archive.java_program()
    return f"{QUICK_JAVA} {jvm_archive.options(java)}" if java else QUICK_JAVA
