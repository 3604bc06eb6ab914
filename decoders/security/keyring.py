"""Which of the given secrets a client proved itself with."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from decoders.security.accounts import Account, SecretFit, ServiceKey
from decoders.security.handshake_result import HandshakeResult
from decoders.security.ntlm_keys import CannotDerive, cipher, session_keys
from decoders.security.ntlm_lane import NtlmLane
from decoders.security.ntlm_names import NtlmFlag, NtlmVersion
from decoders.security.service_keys import ServiceKeys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.security.accounts import Secret
    from decoders.security.kerberos import ApRep, ApReq
    from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage
    from decoders.security.ntlm_keys import SessionKeys


class Keyring:
    """Asked once for each handshake."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._accounts: defaultdict[str, list[Account]] = defaultdict(list)
        services: list[ServiceKey] = []
        for secret in secrets:
            if isinstance(secret, ServiceKey):
                services.append(secret)
            else:
                self._accounts[secret.username.casefold()].append(secret)
        self._services = ServiceKeys(services)

    def of_kerberos(self, asked: ApReq, answered: ApRep | None) -> HandshakeResult:
        return self._services.find(asked, answered)

    def of_ntlm(self, challenge: ChallengeMessage | None, authenticate: AuthenticateMessage) -> HandshakeResult:
        """A secret is tried wherever the user's name fits: domains are written in two ways, and the proof decides."""
        candidates = self._accounts.get(authenticate.UserName.casefold(), [])
        meant = any(_is_of(one, authenticate.DomainName) for one in candidates)
        whose = f"{authenticate.DomainName}\\{authenticate.UserName}"
        if challenge is None:
            why = "the server's challenge was not captured"
            return HandshakeResult(SecretFit.UNUSABLE, whose=whose, why=why) if meant else HandshakeResult(None)
        anonymous = authenticate.version is NtlmVersion.ANONYMOUS
        why = ""
        for account in (None,) if anonymous else candidates:
            try:
                keys = session_keys(challenge, authenticate, account)
            except CannotDerive as error:
                why = str(error)
                continue
            if keys is not None:
                return HandshakeResult(None if anonymous else SecretFit.RIGHT, _lanes(keys), whose)
        if anonymous or not (meant or why):
            return HandshakeResult(None)
        if why:
            return HandshakeResult(SecretFit.UNUSABLE, whose=whose, why=why)
        return HandshakeResult(SecretFit.WRONG, whose=whose, why="the client used another secret")


def _is_of(account: Account, domain: str) -> bool:
    return account.domain is None or account.domain.casefold() == domain.casefold()


def _lanes(keys: SessionKeys) -> dict[bool, NtlmLane]:
    if not keys.flags & (NtlmFlag.SIGN | NtlmFlag.SEAL):
        return {}
    exchanged = bool(keys.flags & NtlmFlag.KEY_EXCH)
    client = NtlmLane(cipher(keys.client.sealing), keys.client.signing, key_exchanged=exchanged)
    if keys.client.signing is None:
        # [MS-NLMP] 3.4: one key, and both sides go on where the other ended.
        return {True: client, False: client}
    return {True: client, False: NtlmLane(cipher(keys.server.sealing), keys.server.signing, key_exchanged=exchanged)}
