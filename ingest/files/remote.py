"""File systems behind URLs, through pyarrow: Python workers have no JVM to ask."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
from typing import TYPE_CHECKING, Any, Final

from ingest.files.names import parts

if TYPE_CHECKING:
    from collections.abc import Iterator

S3: Final = frozenset(("s3", "s3a", "s3n"))
HDFS: Final = frozenset(("hdfs", "viewfs"))

_ATTEMPTS: Final = 5

FileSystem = Any  # pyarrow brings no types
FileInfo = Any

_CREDENTIALS = (
    "access denied; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN if temporary) "
    "for the driver and the workers, or give both a role that may"
)
_LIBHDFS = (
    "hdfs: needs Hadoop's client where Python runs; set HADOOP_HOME, JAVA_HOME "
    "and CLASSPATH=$($HADOOP_HOME/bin/hadoop classpath --glob) for the driver and the workers"
)
# What pyarrow says, what that is, what to tell. The words must not be such as occur in names of files.
_TOLD: Final = (
    (("unable to load lib", "load libhdfs failed", "noclassdeffounderror"), errno.ENOSYS, _LIBHDFS),
    (("aws error no_such_bucket", "bucket does not exist", "' not found"), errno.ENOENT, "no such bucket"),
    (("looks like the configured region",), errno.EINVAL, "the bucket lies in another region; set AWS_REGION"),
    (("aws error access_denied", "(http status 403)"), errno.EACCES, _CREDENTIALS),
    (("aws error invalid_access_key_id", "aws error signature_does_not_match"), errno.EACCES, _CREDENTIALS),
    (("aws error expired_token", "aws error invalid_client_token_id"), errno.EACCES, _CREDENTIALS),
    (
        ("aws error network_connection", "curlcode:", "connection refused", "unknownhostexception"),
        errno.EHOSTUNREACH,
        "the server does not answer; check AWS_ENDPOINT_URL or the name node's address",
    ),
    (("path does not exist", "aws error no_such_key"), errno.ENOENT, "no such file or folder"),
    (("accesscontrolexception",), errno.EACCES, "permission denied"),
)


def scheme_of(url: str) -> str:
    return parts(url)[0]


def file_system_of(url: str) -> tuple[FileSystem, str]:
    """The file system, and the path as that file system takes it."""
    scheme, authority, inner = parts(url)
    with errors_of_path(url):
        if scheme in S3:
            return _s3(authority), authority + inner
        if scheme in HDFS:
            return _hdfs(scheme, authority), inner or "/"
    raise OSError(errno.EINVAL, "no file system for this address; use a local path, file:, hdfs: or s3a:", url)


def url_of(path: str, like: str) -> str:
    """A path that the file system gave, spelled like the URL that led there."""
    scheme, authority, _ = parts(like)
    if "://" in path:
        path = parts(path)[2]
    return f"{scheme}://{path}" if scheme in S3 else f"{scheme}://{authority}/{path.lstrip('/')}"


@functools.cache
def _s3(bucket: str) -> FileSystem:
    """A client a bucket: each may lie in a region of its own."""
    from pyarrow import fs  # noqa: PLC0415 - large, and local paths need none of it

    if not bucket:
        raise OSError(errno.ENOENT, "the address names no bucket; write s3a://BUCKET/PATH")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    patience = {
        "connect_timeout": 10,
        "request_timeout": 60,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(_ATTEMPTS),
    }
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        return fs.S3FileSystem(
            endpoint_override=host.rstrip("/"), scheme=scheme or "https", region=region or "us-east-1", **patience
        )
    return fs.S3FileSystem(region=region or fs.resolve_s3_region(bucket), **patience)


@functools.cache
def _hdfs(scheme: str, authority: str) -> FileSystem:
    from pyarrow import fs  # noqa: PLC0415

    if not authority:
        return fs.HadoopFileSystem("default", 0)
    return fs.HadoopFileSystem.from_uri(f"{scheme}://{authority}/")[0]


@contextlib.contextmanager
def errors_of_path(url: str) -> Iterator[None]:
    """Errors of pyarrow as an OSError that names the path and says in one sentence what to do."""
    from pyarrow import ArrowException  # noqa: PLC0415 - large, and local paths need none of it

    try:
        yield
    except (OSError, ArrowException, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise _as_os_error(error, url) from error


def _as_os_error(error: Exception, url: str) -> OSError:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    for signs, number, sentence in _TOLD:
        if any(sign in said.lower() for sign in signs):
            return OSError(number, sentence, url)
    number = error.errno if isinstance(error, OSError) and error.errno else errno.EIO
    return OSError(number, said.partition("\n")[0], url)
