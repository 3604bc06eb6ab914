"""Secrets are taken from private files only, and end up nowhere."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

import pytest
from pyarrow import parquet

from decoders.security.accounts import Account, ServiceKey
from ingest.choice import Scope
from pipelines.cli import main
from pipelines.cli.secrets_file import read_secrets
from pipelines.engine.sealed_secrets import SecretsRefused
from pipelines.run.command import RunOrder, _same_parameters
from pipelines.store.output_folder import OutputRefused
from tests.builders.conversations import frames, write_pcap
from tests.cluster.standalone import SPARK_HOME
from tests.conftest import ROOT
from tests.decoders.dcerpc.kerberos_sealing import KerberosSealing
from tests.decoders.security.keytabs import VERSION, entry
from tests.pipelines.test_principals import kerberos_talk
from tests.scripts.kerberos import REALM
from tests.scripts.messages import body
from tests.scripts.ntlm import PASSWORD, Login
from tests.scripts.player import capture
from tests.security.other_user import OtherUser

if TYPE_CHECKING:
    from collections.abc import Iterator

ALICE = f'[[account]]\nusername = "alice"\ndomain = "CORP"\npassword = "{PASSWORD}"\n'
BY_HASH = f'[[account]]\nusername = "bob"\nnt_hash = "{Login().nt_hash.hex().upper()}"\n'
KEYTAB = '[[keytab]]\npath = "msmq.keytab"\n'
SERVICE = ServiceKey("HOST/hq.corp.example", "CORP.EXAMPLE", 5, 18, b"hunter2!" * 4)
PATIENCE_SECONDS = 120.0
OTHER = ServiceKey("HQ$", "CORP.EXAMPLE", 7, 23, b"hunter2!" * 2)


def written(folder: Path, text: str, mode: int = 0o600) -> str:
    path = folder / "secrets.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(mode)
    return str(path)


def kept_in(folder: Path, data: bytes, mode: int = 0o600) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / "msmq.keytab"
    path.write_bytes(data)
    path.chmod(mode)


def test_accounts_by_password_and_by_hash(tmp_path: Path) -> None:
    assert read_secrets(written(tmp_path, ALICE + BY_HASH)) == (
        Account("alice", "CORP", PASSWORD),
        Account("bob", None, nt_hash=Login().nt_hash),
    )


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_file_that_others_may_read_is_refused_unless_forced(tmp_path: Path, mode: int) -> None:
    path = written(tmp_path, ALICE, mode)
    with pytest.raises(SecretsRefused, match="others may read it; `chmod 600` it, or give --force"):
        read_secrets(path)
    assert read_secrets(path, force=True) == (Account("alice", "CORP", PASSWORD),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no account and no keytab"),
        ("account = 3", "write each account as [[account]]"),
        ("keytab = 'hunter2'", "write each keytab as [[keytab]]"),
        ("keytab = ['hunter2']", "keytab 1: write it as"),
        ("[[keytab]]\npath = 3", "keytab 1: path is no text"),
        ("[[keytab]]\npath = ''", "keytab 1: has no path"),
        ("[[keytab]]\nkey = 'hunter2'", "'key' is not known; there are path"),
        ("account = [3]", "account 1: write it as"),
        ("[[acount]]\nusername = 'a'", "'acount' is not known"),
        ("[[account]]\npassword = 'hunter2'", "account 1: has no username"),
        ("[[account]]\nusername = ''\npassword = 'hunter2'", "has no username"),
        ("[[account]]\nusername = 'a'", "give either password or nt_hash"),
        (f"[[account]]\nusername = 'a'\npassword = 'hunter2'\nnt_hash = '{'0' * 32}'", "give either"),
        ("[[account]]\nusername = 'a'\nnt_hash = 'hunter2'", "not 32 hexadecimal digits"),
        ("[[account]]\nusername = 'a'\npassword = 1", "password is no text"),
        ("[[account]]\nusername = 'a'\npasword = 'hunter2'", "'pasword' is not known"),
        (f"{ALICE}[[account]]\nusername = 'b'", "account 2: give either"),
        ("[[account]]\npassword = hunter2", "is no TOML (at line 2, column 12)"),
        ("password = '\udcff'", "is not UTF-8"),
    ],
)
def test_a_wrong_file_is_told_by_its_place_and_not_by_its_contents(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SecretsRefused) as refused:
        read_secrets(written(tmp_path, text))
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(SecretsRefused, match="No such file"):
        read_secrets(str(tmp_path / "nothing"))
    with pytest.raises(SecretsRefused, match="Is a directory"):
        read_secrets(str(tmp_path), force=True)
    with pytest.raises(SecretsRefused, match="is larger"):
        read_secrets(written(tmp_path, "#" * (5 << 20)))


def test_keytabs_are_looked_for_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_in(tmp_path / "keys", VERSION + entry(SERVICE) + entry(OTHER))
    text = ALICE + '[[keytab]]\npath = "keys/msmq.keytab"\n'
    found = read_secrets(written(tmp_path, text))
    assert found == (Account("alice", "CORP", PASSWORD), SERVICE, OTHER)
    monkeypatch.chdir(tmp_path)
    assert read_secrets("secrets.toml") == found
    absolute = f'[[keytab]]\npath = "{tmp_path}/keys/msmq.keytab"\n'
    assert read_secrets(written(tmp_path, absolute)) == (SERVICE, OTHER)


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_keytab_that_others_may_read_is_refused_unless_forced(tmp_path: Path, mode: int) -> None:
    kept_in(tmp_path, VERSION + entry(SERVICE), mode)
    path = written(tmp_path, KEYTAB)
    with pytest.raises(SecretsRefused, match=f"^keytab {tmp_path}/msmq.keytab: others may read it"):
        read_secrets(path)
    assert read_secrets(path, force=True) == (SERVICE,)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "No such file"),
        (VERSION, "has no keys"),
        (b"\5\1" + entry(SERVICE), "is no keytab of version 5.2 (at byte 0)"),
        (VERSION + entry(SERVICE)[:-3], "bytes of "),
        (VERSION + bytes((0, 0, 0, 3)) + b"\0\1\0", "entry 1 ends inside a field (at byte 8)"),
        (b"hunter2" * (1 << 20), "is larger"),
    ],
)
def test_a_wrong_keytab_is_told_by_its_path_and_not_by_its_contents(
    tmp_path: Path, data: bytes | None, said: str
) -> None:
    if data is not None:
        kept_in(tmp_path, data)
    with pytest.raises(SecretsRefused) as refused:
        read_secrets(written(tmp_path, KEYTAB))
    assert str(refused.value).startswith(f"keytab {tmp_path}/msmq.keytab: ")
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_the_command_says_so_before_anything_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, ALICE, 0o644)
    assert main(["analyze", "nothing.pcap", "--out", str(tmp_path / "out"), "--secrets", path]) == 2
    assert "others may read it" in capsys.readouterr().err


def test_a_dataset_may_go_on_with_other_secrets_and_not_in_another_scope() -> None:
    class Folder:
        final = "dataset"
        manifest: ClassVar[dict[str, object]] = {
            "parameters": {"scope": "msmq", "keep_payload": False, "thresholds": {}, "secrets": 7}
        }

    def wanted(scope: Scope) -> RunOrder:
        return RunOrder(unused, scope, {}, secrets=(Account("alice", None, PASSWORD),))

    assert wanted(Scope.MSMQ).parameters["secrets"] == 1
    _same_parameters(wanted(Scope.MSMQ), Folder())  # type: ignore[arg-type]
    with pytest.raises(OutputRefused):
        _same_parameters(wanted(Scope.RPC), Folder())  # type: ignore[arg-type]


def unused() -> NoReturn:
    pytest.fail("Spark is not needed")


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Short, so that sockets have room in it."""
    folder = Path(tempfile.mkdtemp(prefix="t-"))
    yield folder
    shutil.rmtree(folder)


def killed_at_work(command: list[str], environment: dict[str, str], temporary: Path) -> None:
    """Driver and JVM at once, when Spark has begun to write."""
    null = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=null, stderr=null, start_new_session=True) as run:
        until = time.monotonic() + PATIENCE_SECONDS
        while not list(temporary.glob("mqtrail-run-*/spark/blockmgr-*")):
            assert run.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGKILL)


def test_a_run_uses_secrets_and_tells_them_to_nobody(tmp_path: Path, temporary: Path) -> None:
    """Neither while it lasts nor in what it leaves, after another run that was killed."""
    script = (
        "connect auth privacy\nRemoteQMOpenQueue\nconnect auth privacy user bob\nRemoteQMPurgeQueue\n"
        "connect\nRemoteQMStartReceive2 -> message=500/7"
    )
    packets, out, logs = capture(tmp_path, script), tmp_path / "out", tmp_path / "logs"
    kerberos, sealing = tmp_path / "kerberos.pcap", KerberosSealing()
    talk = kerberos_talk(sealing)
    write_pcap(kerberos, [frame for packet in talk.packets for frame in frames(talk.ends, packet)])
    kept_in(tmp_path, VERSION + entry(sealing.ticket.keytab))
    logs.mkdir()
    events = ("spark.eventLog.enabled=true", f"spark.eventLog.dir=file://{logs}", "spark.log.level=INFO")
    command = [
        *(sys.executable, "-c", "from pipelines.cli import main; raise SystemExit(main())"),
        *("analyze", str(packets), str(kerberos), "--out", str(out), "--master", "local[1]"),
        *("--secrets", written(tmp_path, ALICE + BY_HASH + KEYTAB)),
        *(word for one in events for word in ("--spark-conf", one)),
    ]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    killed_at_work(command, environment, temporary)
    assert len(list(temporary.iterdir())) == len(list(tmp_path.glob(".out.partial-*"))) == 1

    secrets = [PASSWORD.encode(encoding) for encoding in ("utf-8", "utf-16-le")]
    secrets += [Login().nt_hash, Login().nt_hash.hex().encode(), Login().nt_hash.hex().upper().encode()]
    for key in (sealing.ticket.service_key, sealing.ticket.session[1], sealing.ticket.key[1]):
        secrets += [key, key.hex().encode(), key.hex().upper().encode(), repr(key)[2:-1].encode(), b64encode(key)]
    assert body(500, 7) in packets.read_bytes()
    with (tmp_path / "said").open("wb") as said:
        run = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, env=environment)
        other = OtherUser(run, temporary, (*secrets, body(500, 7)[100:116]))
        other.watch()
    assert run.returncode == 0, (tmp_path / "said").read_text("utf-8", "replace")[-2000:]
    assert {ip_address(address).is_loopback for address, _ in other.listening} == {True}
    assert any("shuffle_" in name for name in other.files)
    assert other.open_to_others == set()
    assert other.found == set()
    assert list(temporary.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []

    calls = parquet.read_table(out / "tables" / "calls").to_pylist()
    told = sorted((call["operation"], call["username"], call["unsealed"], call["verified"]) for call in calls)
    assert told == [
        ("RemoteQMOpenQueue", "alice", True, True),
        *[("RemoteQMPurgeQueue", "alice", True, True)] * 2,
        ("RemoteQMPurgeQueue", "bob", True, True),
        ("RemoteQMStartReceive2", "alice", False, True),
    ]
    assert {call["domain"] for call in calls} == {"CORP", REALM}
    assert json.loads((out / "run.json").read_text())["parameters"]["secrets"] == 3
    assert any(file.stat().st_size > 1_000 for file in logs.rglob("*") if file.is_file())
    given = "secrets.toml", "msmq.keytab"
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name not in given:
            data = file.read_bytes()
            assert not [secret for secret in secrets if secret in data], file
    for table in (out / "tables").iterdir():
        shown = str(parquet.read_table(table).to_pylist()).encode()
        assert not [secret for secret in secrets if secret in shown], table


def test_a_nightly_run_by_spark_submit_tells_them_to_nobody_either(tmp_path: Path, temporary: Path) -> None:
    """As Airflow makes it: of a dataset, whose state holds payload for the next night."""
    script = "connect auth privacy\nRemoteQMOpenQueue\nconnect\nRemoteQMStartReceive2 -> message=500/7"
    packets = capture(tmp_path, script)
    known, data = written(tmp_path, ALICE), tmp_path / "data"
    submit = [
        *(str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[1]"),
        # The JVM is there before we are: where it unpacks its own libraries is for its owner to say.
        *("--driver-java-options", f"-Djava.io.tmpdir={temporary / 'jvm'} -XX:-UsePerfData"),
        *(str(ROOT / "pipelines" / "submit.py"), "analyze", "--dataset", str(data), "--secrets", known),
    ]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    environment = {**kept, **python, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    secrets = [PASSWORD.encode(encoding) for encoding in ("utf-8", "utf-16-le")]
    secrets += [Login().nt_hash, Login().nt_hash.hex().encode(), body(500, 7)[100:116]]
    (temporary / "jvm").mkdir(0o700)
    with (tmp_path / "said").open("wb") as said:
        run = subprocess.Popen([*submit, str(packets)], cwd=tmp_path, stdout=said, stderr=said, env=environment)
        other = OtherUser(run, temporary, secrets)
        other.watch()
    assert run.returncode == 0, (tmp_path / "said").read_text("utf-8", "replace")[-2000:]
    assert {ip_address(address).is_loopback for address, _ in other.listening} == {True}
    assert other.open_to_others == set()
    assert other.found == set()
    assert [path.name for path in temporary.iterdir()] == ["jvm"]
    assert parquet.read_table(data / "tables" / "calls")["unsealed"].to_pylist() == [True, False]
    assert stat.S_IMODE((data / "state").stat().st_mode) == 0o700
    assert PASSWORD.encode() not in (tmp_path / "said").read_bytes()
