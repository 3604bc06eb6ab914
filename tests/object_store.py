"""A real S3 server on loopback, in this process."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """Its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def settings(address: str) -> dict[str, str]:
    """What a user would set in the environment."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def make_bucket(address: str, name: str) -> str:
    from pyarrow import fs

    host = address.removeprefix("http://")
    keys = {"access_key": "somebody", "secret_key": "something"}
    fs.S3FileSystem(endpoint_override=host, scheme="http", allow_bucket_creation=True, **keys).create_dir(name)
    return name
