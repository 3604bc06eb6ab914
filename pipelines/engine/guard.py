"""Who may talk to Spark while a run lasts. docs/adr/0018 says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

TO_ITSELF: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Of a run on one machine the JVM makes a secret by itself, for each anew, and keeps it in its memory.
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.cipher": "AES/GCM/NoPadding",
    # Shuffles, spills, what is cached on disk, and the files of broadcasts.
    "spark.io.encryption.enabled": "true",
}
"""Settings of a run on this machine: other users of it, and of its network, get nothing."""
ENCRYPT: Final = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled", "spark.authenticate.enableSaslEncryption")
"""Each of them encrypts what Spark's processes say to each other."""


class SettingRefused(Exception):
    """The text names it and says why."""


def is_local(master: str) -> bool:
    """Driver and workers are processes of one machine, and one of them is the JVM."""
    return master == "local" or master.startswith("local[")


def to_itself(asked: Mapping[str, str]) -> dict[str, str]:
    """Settings that go before all others. Only Spark's page may be had on request, on loopback like the rest."""
    for key, value in TO_ITSELF.items():
        if asked.get(key, value) != value:
            raise SettingRefused(f"{key}={asked[key]}: a run on this machine keeps to itself, so that it is {value}")
    return {**TO_ITSELF, "spark.ui.enabled": asked.get("spark.ui.enabled", "false")}


def is_guarded(settings: Mapping[str, str]) -> bool:
    """Only those who know Spark's secret can talk to it, and nobody can listen."""
    return _is_on(settings, "spark.authenticate") and any(_is_on(settings, name) for name in ENCRYPT)


def _is_on(settings: Mapping[str, str], name: str) -> bool:
    return settings.get(name, "").strip().lower() == "true"
