"""What a path means: a local one, or a URL of a file system that driver and workers both reach.

Nothing is percent-decoded: Hadoop and Spark take the part behind the authority as it stands, and so do we.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_FILE: Final = re.compile(r"file:(//(localhost)?(?=/)|//)?", re.IGNORECASE)
# Hadoop also takes `hdfs:/a` for the default name node. Any other word and colon may begin a local file's name.
_URL: Final = re.compile(r"(?P<scheme>hdfs|viewfs|[a-z][a-z0-9+.-]*(?=://)):/+", re.IGNORECASE)


def is_local(path: str) -> bool:
    return _FILE.match(path) is not None or _URL.match(path) is None


def local_path(path: str) -> str:
    """A local path or file: URL as the operating system takes it."""
    return _FILE.sub("", path, count=1) if path[:5].lower() == "file:" else path


def normalised(path: str) -> str:
    """One spelling a place: an absolute path, or scheme://authority/path without a slash at its end."""
    if is_local(path):
        return str(Path(local_path(path)).absolute())
    scheme, authority, inner = parts(path)
    return f"{scheme}://{authority}{inner}"


def parts(url: str) -> tuple[str, str, str]:
    """Scheme, authority (bucket or name node, perhaps empty) and path with its leading slash, or an empty one."""
    scheme, _, rest = url.partition(":")
    if not rest.startswith("//"):
        rest = "//" + rest
    authority, _, inner = rest[2:].partition("/")
    inner = re.sub("/+", "/", inner).strip("/")
    return scheme.lower(), authority, f"/{inner}" if inner else ""


def join(folder: str, *names: str) -> str:
    return "/".join((folder.rstrip("/"), *names)) if folder.strip("/") else os.path.join(folder, *names)  # noqa: PTH118


def parent_of(path: str) -> str:
    """Of a bucket or a root: itself."""
    if is_local(path):
        return str(Path(local_path(path)).parent)
    scheme, authority, inner = parts(path)
    return f"{scheme}://{authority}{inner.rpartition('/')[0]}"


def root_of(url: str) -> str:
    """The bucket or name node."""
    scheme, authority, _ = parts(url)
    return f"{scheme}://{authority}"


def name_of(path: str) -> str:
    """The last part; empty for a bucket or a root."""
    return Path(local_path(path)).name if is_local(path) else parts(path)[2].rpartition("/")[2]


def sibling(path: str, name: str) -> str:
    return join(parent_of(path), name)
