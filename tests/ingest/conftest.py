"""A real S3 server on loopback, and a stand-in for HDFS."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from ingest.files import remote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """Its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_settings(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Everything a user would set; the server's address."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    remote._s3.cache_clear()
    yield s3_server
    remote._s3.cache_clear()


@pytest.fixture
def bucket(s3_settings: str, tmp_path: Path) -> str:
    """A new one, by its name."""
    from pyarrow import fs

    name = f"b{abs(hash(tmp_path)):x}"
    address = s3_settings.removeprefix("http://")
    fs.S3FileSystem(endpoint_override=address, scheme="http", allow_bucket_creation=True).create_dir(name)
    return name


@pytest.fixture
def name_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the branches for HDFS do, on a folder: libhdfs and a cluster are not to be had here."""
    from pyarrow import fs

    (tmp_path / "hdfs").mkdir()
    system: Any = fs.SubTreeFileSystem(str(tmp_path / "hdfs"), fs.LocalFileSystem())
    monkeypatch.setattr(remote, "_hdfs", lambda *_: system)
    return "hdfs://namenode:8020"
