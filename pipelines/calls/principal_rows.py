"""Rows of `principals`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.dcerpc.names import AUTH_LEVEL, AUTH_TYPE
from decoders.security.kerberos_names import ETYPES
from decoders.security.ntlm_names import flag_names
from decoders.security.spnego import MECHANISMS
from pipelines.calls.frames import split_frames
from schemas.times import micros, nanos

if TYPE_CHECKING:
    from decoders.dcerpc.call_model import Principal
    from decoders.dcerpc.handshake import Handshake
    from decoders.security.ntlm import Version
    from pipelines.calls.connection import Captures, Place

Row = dict[str, Any]


def principal_row(principal: Principal, place: Place, captures: Captures) -> Row:
    context = principal.context
    capture, frames, elsewhere = split_frames(tuple(context.frames), captures)
    return {
        "uid": place.uid,
        "auth_context_id": context.auth_context_id,
        "ts": micros(context.first_ts_ns),
        "ts_ns": nanos(context.first_ts_ns),
        "id": place.id,
        "auth_type": context.auth_type,
        "auth_type_name": AUTH_TYPE.get(context.auth_type),
        "auth_level": context.auth_level,
        "auth_level_name": AUTH_LEVEL.get(context.auth_level),
        "mechanism": context.handshake.mechanism,
        "mechanisms": _offered(context.handshake),
        **_client(context.handshake),
        **_ntlm(context.handshake),
        **_kerberos(context.handshake),
        "outcome": str(context.outcome),
        "reason": context.refusal if context.outcome == "refused" else None,
        "secret": principal.secret,
        "frames": frames,
        "elsewhere": elsewhere,
        "capture_id": capture,
    }


def _offered(handshake: Handshake) -> list[str] | None:
    return [MECHANISMS.get(one, one) for one in handshake.mech_types] or None


def _client(handshake: Handshake) -> Row:
    client = handshake.client
    row: Row = {"name_sealed": handshake.mechanism == "kerberos" and client is None}
    if client is not None:
        row |= {"username": client.username, "domain": client.domain, "workstation": client.workstation}
        row |= {"ticket_auth_ts": _micros(client.logged_on), "ticket_end_ts": _micros(client.until)}
    return row


def _ntlm(handshake: Handshake) -> Row:
    first, server, client = handshake.negotiate, handshake.challenge, handshake.authenticate
    last = client or server or first
    row: Row = {
        "ntlm_flags": list(flag_names(last.NegotiateFlags)) if last else None,
        "client_version": _version((client and client.Version) or (first and first.Version) or None),
    }
    if server is not None:
        told = server.TargetInfo
        row |= {
            "server_version": _version(server.Version),
            "target_name": server.TargetName or None,
            "nb_computer_name": told.MsvAvNbComputerName,
            "nb_domain_name": told.MsvAvNbDomainName,
            "dns_computer_name": told.MsvAvDnsComputerName,
            "dns_domain_name": told.MsvAvDnsDomainName,
            "dns_tree_name": told.MsvAvDnsTreeName,
            "server_ts": None if told.MsvAvTimestamp is None else told.MsvAvTimestamp // 1000,
        }
    if client is not None:
        bindings, machine = client.AvPairs.MsvAvChannelBindings, client.AvPairs.MachineID
        row |= {
            "ntlm_version": str(client.version),
            "mic": client.has_mic,
            "key_exchanged": client.key_exchanged,
            "spn": client.AvPairs.MsvAvTargetName or None,
            "channel_bindings": bindings.hex() if bindings and any(bindings) else None,
            "machine_id": machine.hex() if machine else None,
        }
    return row


def _kerberos(handshake: Handshake) -> Row:
    asked = handshake.ap_req
    if asked is None:
        return {}
    return {
        "realm": asked.realm,
        "service_name": asked.sname,
        "ticket_etype": asked.ticket.etype,
        "ticket_etype_name": ETYPES.get(asked.ticket.etype),
        "ticket_kvno": asked.ticket.kvno,
        "ap_options": list(asked.ap_options),
    }


def _micros(seconds: int | None) -> int | None:
    return None if seconds is None else seconds * 1_000_000


def _version(version: Version | None) -> str | None:
    return version and f"{version.ProductMajorVersion}.{version.ProductMinorVersion}.{version.ProductBuild}"
