"""Secrets on their way to workers."""

from __future__ import annotations

import stat
from argparse import Namespace
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import SparkFiles, cloudpickle

from decoders.security.accounts import Account, ServiceKey
from pipelines.cli import analyze, main
from pipelines.cli.progress import Progress
from pipelines.engine.guard import ENCRYPT, TO_ITSELF
from pipelines.engine.sealed_secrets import SecretsRefused, refuse_unguarded, sealed
from pipelines.engine.spark import SparkEngine
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

PASSWORD, NT_HASH, KEY = "pässword 4711", b"0123456789abcdef", b"\xff" * 32
SECRETS = (
    Account("alice", "CORP", PASSWORD),
    Account("bob", None, nt_hash=NT_HASH),
    ServiceKey("HOST/hq", "CORP.EXAMPLE", 5, 18, KEY),
)


@dataclass
class Context:
    """What is needed of Spark's."""

    master: str
    settings: Mapping[str, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)

    def addFile(self, path: str) -> None:  # noqa: N802 - Spark's name
        self.given.append(path)

    def getConf(self) -> Context:  # noqa: N802
        return self

    def getAll(self) -> list[tuple[str, str]]:  # noqa: N802
        return list(self.settings.items())


def spark(context: Context) -> Any:  # noqa: ANN401 - stands for Spark's own
    return context


@pytest.mark.parametrize("master", ["local[*]", "local", "local[2,4]"])
def test_workers_here_read_the_key_from_a_private_file(master: str) -> None:
    context = Context(master)
    one, other = (sealed(spark(context), SECRETS) for _ in range(2))
    assert context.given == []
    assert one.opened() == other.opened() == SECRETS
    assert one.data != other.data
    assert stat.S_IMODE(Path(one.key_file).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(one.key_file).parent.stat().st_mode) == 0o700


def test_workers_elsewhere_get_the_key_from_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Context("spark://there:7077")
    found = sealed(spark(context), SECRETS)
    (path,) = context.given
    (tmp_path / Path(path).name).write_bytes(Path(path).read_bytes())
    monkeypatch.setattr(SparkFiles, "get", lambda name: str(tmp_path / name))
    assert found.opened() == SECRETS


def test_the_closure_says_nothing_without_the_key() -> None:
    found = sealed(spark(Context("local[*]")), SECRETS)
    travels = cloudpickle.dumps(found.opened) + repr(found).encode()  # type: ignore[no-untyped-call]
    key = Path(found.key_file).read_bytes()
    for secret in (PASSWORD.encode(), PASSWORD.encode("utf-16-le"), NT_HASH, NT_HASH.hex().encode(), KEY, key, b"bob"):
        assert secret not in travels
    with pytest.raises(ValueError, match="MAC check failed"):
        replace(found, data=bytes([found.data[0] ^ 1]) + found.data[1:]).opened()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.authenticate": "true"},
        {"spark.authenticate": "false", "spark.network.crypto.enabled": "true"},
        {"spark.authenticate": "true", "spark.network.crypto.enabled": "false"},
    ],
)
def test_a_cluster_that_others_can_talk_to_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(SecretsRefused, match=r"^spark://there:7077: whoever .*spark\.authenticate.* there$"):
        refuse_unguarded(spark(Context("spark://there:7077", settings)))


@pytest.mark.parametrize("encrypts", ENCRYPT)
def test_a_guarded_one_is_not(encrypts: str) -> None:
    refuse_unguarded(spark(Context("yarn", {"spark.authenticate": "true", encrypts: "TRUE"})))
    refuse_unguarded(spark(Context("local[*]", TO_ITSELF)))


def test_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Session:
        sparkContext = Context("spark://there:7077")  # noqa: N815

    monkeypatch.setattr(analyze, "started_spark", lambda *_, **__: Session)
    (tmp_path / "secrets.toml").write_text("[[account]]\nusername = 'a'\npassword = 'hunter2'\n")
    (tmp_path / "secrets.toml").chmod(0o600)
    sample = str(ROOT / "samples" / "msmq-loopback.pcap")
    arguments = ["--out", str(tmp_path / "out"), "--secrets", str(tmp_path / "secrets.toml")]
    assert main(["analyze", sample, *arguments]) == 2
    said = capsys.readouterr().err
    assert "--secrets: spark://there:7077: whoever reaches its network" in said
    assert said.endswith("there, or give --force\n")
    assert not (tmp_path / "out").exists()
    forced = Namespace(secrets="secrets.toml", force=True, master=None)
    assert isinstance(analyze._engine(forced, {}, Progress()), SparkEngine)
    assert "spark.network.crypto.enabled there; --force goes on without" in capsys.readouterr().err
