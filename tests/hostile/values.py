"""Values that are short to send and long to write: access lists, security tokens, IP fragments."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from decoders.registry import QMCOMM
from tests.builders.rpc import QM2QM
from tests.decoders.dcerpc import pdus
from tests.hostile.tape import Line, Tape, stubs
from tests.scripts import ntlm

if TYPE_CHECKING:
    import random

_SET_SECURITY, _SECURITY_SET = stubs(QMCOMM.uuid, 7)
_VERSION, _VERSION_TOLD = stubs(QM2QM, 8)
_DACL = 4
_SID = struct.pack("<BB6sI", 1, 1, (5).to_bytes(6, "big"), 18)


def _set_list(tape: Tape, entries: int, sid: bytes) -> None:
    ace = struct.pack("<BBHI", 0, 0, 8 + len(sid), 0x000F_003F) + sid
    acl = struct.pack("<BBHHH", 2, 0, 8 + entries * len(ace), entries, 0) + ace * entries
    descriptor = struct.pack("<BBHIIII", 1, 0, 0x8004, 0, 0, 0, 20) + acl
    queue = {"m_qft": 3, "m_SuffixAndFlags": 0, "m_reserved": 0, "m_pDirectID": "OS:a\\private$\\q"}
    asked = {"pObjectFormat": {"ObjType": 1, "pQueueFormat": queue}, "SecurityInformation": _DACL}
    stub = _SET_SECURITY({**asked, "SDSize": len(descriptor), "pSecurityDescriptor": descriptor})
    answered, serial = _SECURITY_SET({"return_value": 0}), 0
    line = Line(tape, 40_000).open().bind(QMCOMM.uuid)
    while not tape.full():
        serial += 1
        for at in range(0, len(stub), 4_000):
            flags = (at == 0) | (at + 4_000 >= len(stub)) << 1
            line.send(pdus.request(stub[at : at + 4_000], opnum=7, call_id=serial, flags=flags))
        line.answer(serial, answered)


def access_lists(size: int, _: random.Random) -> bytes:
    """Access lists of 3,200 entries."""
    tape = Tape(size)
    _set_list(tape, 3_200, _SID)
    return tape.octets()


def long_identifiers(size: int, _: random.Random) -> bytes:
    """Access lists of entries with the longest identifiers there are."""
    tape = Tape(size)
    _set_list(tape, 800, struct.pack("<BB6s15I", 1, 15, (5).to_bytes(6, "big"), *range(1_000_000_000, 1_000_000_015)))
    return tape.octets()


def many_tokens(size: int, _: random.Random) -> bytes:
    """One connection that is authenticated by NTLM again and again, each time as somebody else."""
    tape, serial = Tape(size), 0
    line = Line(tape, 40_000).open()
    proposed, accepted = ((pdus.QM2QM, (pdus.NDR,)),), (0, 0, pdus.NDR)
    while not tape.full():
        serial += 1
        kinds = (pdus.BIND, pdus.BIND_ACK) if serial == 1 else (pdus.ALTER, pdus.ALTER_RESP)
        user = f"user{serial}"

        def auth(token: bytes, number: int = serial) -> pdus.Auth:
            return pdus.Auth(token, context_id=number)

        line.send(pdus.bind(*proposed, kind=kinds[0], call_id=serial, auth=auth(ntlm.negotiate())))
        told = auth(ntlm.challenge("CORP", user))
        line.send(pdus.ack(accepted, kind=kinds[1], call_id=serial, auth=told), by_client=False)
        last = auth(ntlm.authenticate(user, "CORP", "PC", user))
        line.send(pdus.pdu(pdus.AUTH3, bytes(4), call_id=serial, auth=last))
        line.send(pdus.request(_VERSION({}), opnum=8, call_id=serial))
        line.answer(serial, _VERSION_TOLD({"pMajor": 5, "pMinor": 1, "pBuildNumber": 1}))
    return tape.octets()


IDEAS = (access_lists, long_identifiers, many_tokens)
