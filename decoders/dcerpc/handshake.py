"""What the tokens of one security context told, leg by leg: [MS-RPCE] 2.2.2.12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoders.security.handshake_result import Client
from decoders.security.kerberos import ApRep, ApReq, KrbError
from decoders.security.kerberos_names import ERRORS
from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage, NegotiateMessage
from decoders.security.spnego import ACCEPT_COMPLETED, MECHANISMS, REJECT, NegTokenInit, NegTokenResp

if TYPE_CHECKING:
    from decoders.security.tokens import Message, Token


@dataclass(slots=True)
class Handshake:
    spnego: bool = False
    mech_types: tuple[str, ...] = ()
    neg_state: int | None = None
    """The server's last."""
    mechanism: str | None = None
    """Of the last message, else as the server chose."""
    negotiate: NegotiateMessage | None = None
    challenge: ChallengeMessage | None = None
    authenticate: AuthenticateMessage | None = None
    ap_req: ApReq | None = None
    ap_rep: ApRep | None = None
    """The server's."""
    krb_error: KrbError | None = None
    client: Client | None = None
    """Who calls. A Kerberos client's name is known where its ticket could be opened."""

    def begins_again(self, token: Token) -> bool:
        """Whether a client's token is the first of another handshake."""
        first = isinstance(token.spnego, NegTokenInit) or isinstance(token.message, NegotiateMessage)
        return first and (self.authenticate is not None or self.ap_rep is not None)

    def note(self, token: Token, *, from_client: bool) -> None:
        if token.spnego is not None:
            self.spnego = True
        if isinstance(token.spnego, NegTokenInit) and from_client:
            self.mech_types = token.spnego.mech_types
        elif isinstance(token.spnego, NegTokenResp) and not from_client:
            self.neg_state = token.spnego.neg_state if token.spnego.neg_state is not None else self.neg_state
            chosen = MECHANISMS.get(token.spnego.supported_mech or "", token.spnego.supported_mech)
            self.mechanism = chosen.removesuffix("_ms") if chosen else self.mechanism
        if token.message is not None:
            self._message(token.message, from_client)

    def _message(self, message: Message, from_client: bool) -> None:
        match message:
            case NegotiateMessage():
                self.negotiate, self.client = message, None
            case ChallengeMessage():
                self.challenge = message
            case AuthenticateMessage():
                self.authenticate = message
                self.client = Client(message.UserName, message.DomainName, message.Workstation)
            case ApReq():
                if from_client:
                    self.ap_req, self.client = message, None
            case ApRep():
                self.ap_rep = self.ap_rep if from_client else message
            case KrbError():
                self.krb_error = self.krb_error if from_client else message
        self.mechanism = "kerberos" if isinstance(message, ApReq | ApRep | KrbError) else "ntlm"

    @property
    def authenticated(self) -> bool | None:
        """Whether the client says who it is, and that is somebody; None: what says so was not captured.

        A Kerberos ticket is somebody's, whether or not it could be opened.
        """
        if self.client is not None:
            return not self.client.is_nobody
        return True if self.ap_req is not None and self.mechanism == "kerberos" else None

    @property
    def proofs(self) -> tuple[Message | None, Message | None]:
        """The client's message that proves who it is, and the server's that belongs to it."""
        if self.mechanism == "kerberos":
            return self.ap_req, self.ap_rep
        return self.authenticate, self.challenge

    @property
    def refusal(self) -> str | None:
        """Why the server does not want the client, in its last answer."""
        if self.neg_state == REJECT:
            return "spnego_reject"
        if self.krb_error is not None and self.negotiate is None:
            return ERRORS.get(self.krb_error.error_code, f"KRB-ERROR {self.krb_error.error_code}")
        return None

    @property
    def accepted(self) -> bool:
        """The server says that it lets the client in. NTLM alone has no word for that."""
        return self.neg_state == ACCEPT_COMPLETED if self.spnego else self.ap_rep is not None
