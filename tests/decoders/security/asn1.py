"""ASN.1 written from [X.690], for tests of what reads it."""

from __future__ import annotations

SPNEGO, NTLM, KERBEROS, KERBEROS_MS = (
    bytes.fromhex(one) for one in ("2b0601050502", "2b06010401823702020a", "2a864886f712010202", "2a864882f712010202")
)


def tlv(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(octets))) + octets + content


def sequence(*contents: bytes) -> bytes:
    return tlv(0x30, *contents)


def member(number: int, *contents: bytes) -> bytes:
    return tlv(0xA0 + number, *contents)


def integer(value: int, tag: int = 0x02) -> bytes:
    return tlv(tag, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def text(value: str) -> bytes:
    return tlv(0x1B, value.encode())


def name(*parts: str) -> bytes:
    return sequence(member(0, integer(2)), member(1, sequence(*map(text, parts))))


def encrypted(etype: int, kvno: int | None, cipher: bytes = b"cipher") -> bytes:
    version = b"" if kvno is None else member(1, integer(kvno))
    return sequence(member(0, integer(etype)), version, member(2, tlv(0x04, cipher)))


def neg_token_init(token: bytes, *mechanisms: bytes) -> bytes:
    offered = sequence(*(tlv(0x06, one) for one in mechanisms or (NTLM,)))
    return tlv(0x60, tlv(0x06, SPNEGO), member(0, sequence(member(0, offered), member(2, tlv(0x04, token)))))


def neg_token_resp(state: int | None, token: bytes | None, mechanism: bytes | None = None, mic: bytes = b"") -> bytes:
    parts = [] if state is None else [member(0, integer(state, 0x0A))]
    parts += [] if mechanism is None else [member(1, tlv(0x06, mechanism))]
    parts += [] if token is None else [member(2, tlv(0x04, token))]
    return member(1, sequence(*parts, *([member(3, tlv(0x04, mic))] if mic else [])))


def ap_req(
    options: int = 0x2000_0000,
    kvno: int | None = 5,
    sealed: tuple[int, bytes] = (18, b"cipher"),
    authenticator: tuple[int, bytes] = (18, b"cipher"),
) -> bytes:
    ticket = tlv(
        0x61,
        sequence(
            member(0, integer(5)),
            member(1, text("CORP.EXAMPLE")),
            member(2, name("HOST", "hq.corp.example")),
            member(3, encrypted(sealed[0], kvno, sealed[1])),
        ),
    )
    bits = tlv(0x03, b"\0" + options.to_bytes(4, "big"))
    return tlv(
        0x6E,
        sequence(
            member(0, integer(5)),
            member(1, integer(14)),
            member(2, bits),
            member(3, ticket),
            member(4, encrypted(authenticator[0], None, authenticator[1])),
        ),
    )


def ap_rep(etype: int = 17, cipher: bytes = b"cipher") -> bytes:
    part = encrypted(etype, None, cipher)
    return tlv(0x6F, sequence(member(0, integer(5)), member(1, integer(15)), member(2, part)))


def krb_error(code: int = 37, *, client: bool = True, words: str | None = "too late") -> bytes:
    who = (member(7, text("CORP.EXAMPLE")), member(8, name("alice"))) if client else ()
    said = () if words is None else (member(11, text(words)),)
    return tlv(
        0x7E,
        sequence(
            *(member(0, integer(5)), member(1, integer(30)), member(4, tlv(0x18, b"20260105080000Z"))),
            *(member(5, integer(7)), member(6, integer(code)), *who, member(9, text("CORP.EXAMPLE"))),
            *(member(10, name("HOST", "hq")), *said),
        ),
    )


def gss(mechanism: bytes, token_id: bytes, message: bytes) -> bytes:
    """RFC 4121 4.1."""
    return tlv(0x60, tlv(0x06, mechanism), token_id, message)
