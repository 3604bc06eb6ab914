"""A session without the extensions that libraries on the class path bring along. docs/adr/0037 says why.

Spark looks for them whenever a session is made. spark-mllib has one; to register its functions loads thousands of
classes, by reflection, and nobody here uses them.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASKED_FOR: Final = "spark.sql.extensions"


def make_bare(settings: Mapping[str, str]) -> None:
    """The session that Spark's builder finds. Where it cannot be made, or extensions are asked for, Spark makes one."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - slow to import
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    context = SparkContext.getOrCreate(SparkConf().setAll(list(settings.items())))
    if context.getConf().contains(_ASKED_FOR):
        return
    # The constructor that Spark's own end in, with nothing where those have what they found.
    with contextlib.suppress(Py4JError, TypeError):
        jvm: Any = context._jvm
        sessions = jvm.org.apache.spark.sql.classic.SparkSession
        nothing, no_options = jvm.scala.Option.empty(), jvm.scala.Predef.Map().empty()
        extensions = jvm.org.apache.spark.sql.SparkSessionExtensions()
        made = sessions(context._jsc.sc(), nothing, nothing, extensions, no_options, no_options)
        sessions.setDefaultSession(made)
