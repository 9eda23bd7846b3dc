"""TLS of event loops without encryption: bytes pass through unchanged."""

from __future__ import annotations

import ssl
from typing import Any

from pytest_evosearch.sut.outgoing.answering_sockets import CIPHER
from pytest_evosearch.sut.outgoing.answering_sockets import certificate_of


class PlainTls:
    """What `ssl.SSLContext.wrap_bio` returns for a service that is answered in this process."""

    def __init__(self, incoming: Any, outgoing: Any, context: Any, host: str) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self.context = context
        self.server_hostname = host
        self.server_side = False
        self.session: Any = None
        self.session_reused = False

    def read(self, size: int = 1024, buffer: Any = None) -> Any:
        """Return what has arrived; ask for more where nothing has."""
        data = self._incoming.read(size if buffer is None else min(size, len(buffer)))
        if not data and not self._incoming.eof:
            raise ssl.SSLWantReadError(ssl.SSL_ERROR_WANT_READ, "The operation did not complete")
        if buffer is None:
            return data
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        """Send bytes."""
        written: int = self._outgoing.write(data)
        return written

    def do_handshake(self) -> None:
        """Agree at once."""

    def unwrap(self) -> None:
        """End at once."""

    def pending(self) -> int:
        """Return how many bytes have arrived."""
        waiting: int = self._incoming.pending
        return waiting

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Return a certificate for the host."""
        return certificate_of(self.server_hostname, binary_form)

    def version(self) -> str:
        """Return the version of TLS."""
        return "TLSv1.3"

    def cipher(self) -> tuple[str, str, int]:
        """Return a usual cipher."""
        return CIPHER

    def selected_alpn_protocol(self) -> str | None:
        """Return no protocol: HTTP 1."""
        return None

    def get_channel_binding(self, kind: str = "tls-unique") -> Any:
        """Return no binding."""
        return None

    def compression(self) -> str | None:
        """Return no compression."""
        return None
