"""The file systems behind URLs: a real S3 server, and a stand-in for HDFS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ingest.files import remote
from tests import object_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """Its address."""
    with object_store.s3_server() as address:
        yield address


@pytest.fixture
def s3_settings(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Everything a user would set; the server's address."""
    for name, value in object_store.settings(s3_server).items():
        monkeypatch.setenv(name, value)
    remote._s3.cache_clear()
    yield s3_server
    remote._s3.cache_clear()


@pytest.fixture
def bucket(s3_settings: str, tmp_path: Path) -> str:
    """A new one, by its name."""
    return object_store.make_bucket(s3_settings, f"b{abs(hash(tmp_path)):x}")


@pytest.fixture
def name_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the branches for HDFS do, on a folder: libhdfs and a cluster are not to be had here."""
    from pyarrow import fs

    (tmp_path / "hdfs").mkdir()
    system: Any = fs.SubTreeFileSystem(str(tmp_path / "hdfs"), fs.LocalFileSystem())
    monkeypatch.setattr(remote, "_hdfs", lambda *_: system)
    return "hdfs://namenode:8020"
