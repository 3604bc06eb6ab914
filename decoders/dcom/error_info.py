"""What a failing COM call says about itself, in an extension: [MS-DCOM] 2.2.21.1 to 2.2.21.3."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from decoders.dcom.objref import parse_objref
from decoders.limits import MAX_ERROR_TEXT_BYTES
from decoders.ndr.texts import guid_bytes, guid_text, wide_text

ERROR_OBJECT: Final = "0000031b-0000-0000-c000-000000000046"
"""CLSID_ErrorObject, the unmarshaler of the usual form."""

_HEAD: Final = struct.Struct("<II16s")
_WORD: Final = struct.Struct("<I")
_COUNTS: Final = struct.Struct("<III")
_PRESENT: Final = 0xFFFFFFFF
_TEXTS: Final = ("source", "description", "help file")


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    version: int | None = None
    help_context: int | None = None
    iid: str | None = None
    """Of the interface that returns the error."""
    source: str | None = None
    description: str | None = None
    help_file: str | None = None
    problems: tuple[str, ...] = ()


def parse_error_info(data: bytes) -> ErrorInfo:
    """Of an extent's data. Never raises; a text is None where it is absent or was not reached."""
    reference = parse_objref(data)
    if reference.custom is None or reference.clsid != ERROR_OBJECT:
        # 2.2.21.1 wants an OBJREF of any kind; another kind is an object that would have to be asked.
        return ErrorInfo(problems=reference.problems or (f"class {reference.clsid}, not {ERROR_OBJECT}",))
    return _parse(reference.custom.data)


def _parse(data: bytes) -> ErrorInfo:
    if len(data) < _HEAD.size:
        return ErrorInfo(problems=("the bytes end before its head does",))
    version, help_context, iid = _HEAD.unpack_from(data)
    problems = [f"version {version}, not 0"] if version else []
    texts: list[str | None] = []
    at = _HEAD.size
    for name in _TEXTS:
        text, at, problem = _text(data, at)
        texts.append(text)
        if problem:
            problems.append(f"{name}: {problem}")
            break
    texts += [None] * (len(_TEXTS) - len(texts))
    source, description, help_file = texts
    return ErrorInfo(
        version, help_context, guid_text(iid, "<"), source, description, help_file, problems=tuple(problems)
    )


def _text(data: bytes, at: int) -> tuple[str | None, int, str]:
    """The text, where it ends, and what keeps one from reading on."""
    if len(data) - at < _WORD.size:
        return None, at, "the bytes end before it"
    (signature,) = _WORD.unpack_from(data, at)
    at += _WORD.size
    if signature == 0:
        return None, at, ""
    if signature != _PRESENT:
        return None, at, f"signature {signature:#x}"
    if len(data) - at < _COUNTS.size:
        return None, at, "the bytes end before it"
    most, offset, actual = _COUNTS.unpack_from(data, at)
    at += _COUNTS.size
    end = at + 2 * actual
    if end > len(data) or offset or most < actual:
        return None, at, f"{actual} characters of {most} from {offset}, {len(data) - at} bytes"
    # Bounded: lone surrogates, which only forgers send by the thousand, take long to write out.
    raw = data[at : min(end, at + MAX_ERROR_TEXT_BYTES)]
    return wide_text(raw, "<").removesuffix("\0"), end, ""


def build_error_info(found: ErrorInfo) -> bytes:
    """The object data of the OBJREF_CUSTOM, for tests and samples."""
    head = _HEAD.pack(found.version or 0, found.help_context or 0, guid_bytes(found.iid or "", "<"))
    return head + b"".join(map(_built, (found.source, found.description, found.help_file)))


def _built(text: str | None) -> bytes:
    if text is None:
        return _WORD.pack(0)
    raw = text.encode("utf-16-le") + b"\0\0"
    return _WORD.pack(_PRESENT) + _COUNTS.pack(len(raw) // 2, 0, len(raw) // 2) + raw
