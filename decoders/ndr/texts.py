"""Values that people read as text."""

from __future__ import annotations

from decoders.ndr.layout import GUID_BYTES

_NIL = bytes(GUID_BYTES)


def guid_text(raw: bytes, byte_order: str) -> str:
    """[C706] appendix A: the first three fields follow the byte order, the last eight bytes do not."""
    if byte_order == "<":
        raw = raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def guid_bytes(text: str, byte_order: str) -> bytes:
    raw = bytes.fromhex(text.replace("-", ""))
    if len(raw) != GUID_BYTES:
        raise ValueError(f"{text} is not a GUID")
    return raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:] if byte_order == "<" else raw


def handle_text(raw: bytes, byte_order: str) -> str | None:
    """The attributes, four bytes in front, are 0 in all of Windows' handles: [MS-RPCE] note 21."""
    return None if raw[4:] == _NIL else guid_text(raw[4:], byte_order)


def wide_text(raw: bytes, byte_order: str) -> str:
    encoding = "utf-16-le" if byte_order == "<" else "utf-16-be"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        # Windows passes lone surrogates on; Arrow, JSON and files cannot hold them.
        return raw.decode(encoding, "surrogatepass").encode("utf-8", "backslashreplace").decode("utf-8")


def narrow_text(raw: bytes) -> str:
    """The code page is the sender's and unknown; Latin-1 keeps each byte recognisable."""
    return raw.decode("latin-1")
