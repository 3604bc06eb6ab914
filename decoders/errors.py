"""The only exceptions a decoder raises. What a user sees of them is a row in the table `issues`."""

from __future__ import annotations


class DecodeError(Exception):
    """Bytes that do not decode; `offset` counts from the start of what was being decoded."""

    def __init__(self, detail: str, offset: int = 0) -> None:
        super().__init__(detail)
        self.detail = detail
        self.offset = offset


class NotThisFormat(DecodeError):
    """The bytes belong to something else: try another decoder, or set them aside."""


class Truncated(DecodeError):
    """The format is right, but the bytes end too early."""


class Malformed(DecodeError):
    """The format is right, but a field contradicts another or the specification."""
