"""Of what Kerberos protects, whatever is missing takes nothing along, and nothing that was changed is believed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.troubles import TroubleCode
from tests.decoders.dcerpc.kerberos_sealing import INTEGRITY, PRIVACY, RAW, SPNEGO, KerberosSealing, listening, opened
from tests.decoders.dcerpc.losses import exchange, read_despite_losses
from tests.decoders.dcerpc.test_unsealing import state, stubs
from tests.scripts.kerberos import ETYPES, Ticket


def of(etype: int) -> Ticket:
    return Ticket(etype, client_subkey=etype, server_subkey=etype)


@given(st.data(), st.sampled_from([INTEGRITY, PRIVACY]), st.sampled_from(ETYPES))
def test_whatever_is_missing_the_rest_is_read(data: st.DataObject, level: int, etype: int) -> None:
    sealing = KerberosSealing(of(etype), level)
    asked_and_answered = exchange(sealing, 6)
    read_despite_losses(opened(sealing), asked_and_answered, data)


def test_a_pdu_cut_in_its_middle_stays_sealed_and_the_next_is_read() -> None:
    sealing = KerberosSealing()
    asked, _ = exchange(sealing, 2)
    talk = opened(sealing).client(asked[0][:-30], 30, asked[1]).over()
    assert [state(call) for call in talk.calls] == [(True, False, None), (True, True, True)]
    assert talk.codes == [TroubleCode.PDU_CUT]


@pytest.mark.parametrize(("etype", "level"), [*product(ETYPES, (INTEGRITY, PRIVACY))])
def test_every_changed_byte_is_told_and_what_follows_is_read(etype: int, level: int) -> None:
    sealing = KerberosSealing(of(etype), level)
    asked, _ = exchange(sealing, 3)
    whole = asked[1]
    start = len(whole) - int.from_bytes(whole[10:12], "little")
    # Behind the header and opnum, so that it stays a request of the same kind; the trailer says how it is read.
    places = {*range(24, start - 8), *range(start, len(whole))}
    if etype == 23:
        # RFC 4757 signs neither the length around a token nor, where nothing is sealed, its number.
        places -= {start + 1, *(range(start + 21, start + 25) if level == INTEGRITY else ())}
    for at in sorted(places):
        forged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        talk = opened(sealing).client(asked[0], forged, asked[2]).over()
        told = [call.verified for call in talk.calls]
        assert told == [True, False, True], at
        assert talk.codes == [TroubleCode.SIGNATURE_BAD], at


@pytest.mark.parametrize("auth_type", [SPNEGO, RAW])
@pytest.mark.parametrize("which", range(4))
def test_damage_at_every_byte_raises_nothing_and_proves_nothing(auth_type: int, which: int) -> None:
    sealing = KerberosSealing(auth_type=auth_type)
    whole = [sealing.bind, sealing.ack, sealing.third, sealing.request()]
    for at in range(16, len(whole[which])):
        for bad in (
            whole[which][:at] + bytes([whole[which][at] ^ 0x81]) + whole[which][at + 1 :],
            whole[which][:at] + bytes(len(whole[which]) - at),
        ):
            legs = [bad if number == which else one for number, one in enumerate(whole)]
            talk = listening(sealing.ticket.keytab).client(legs[0]).server(legs[1]).client(*legs[2:]).over()
            assert all(call.verified is not True or stubs(call)[0] == b"asked..." for call in talk.calls), at
            assert all(call.username in (None, "alice") for call in talk.calls), at
