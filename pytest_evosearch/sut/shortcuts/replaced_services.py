"""The services that are replaced, in the written tests as in the search, and which are there."""

from __future__ import annotations

import socket
from typing import NamedTuple

CONNECT_SECONDS = 0.5
"""Seconds to find out whether a server answers."""


class StandIns(NamedTuple):
    """The replacements in a written conftest.py."""

    address_checks: bool = False
    """Whether addresses would be checked with the servers of their domains."""
    mail_server: bool = False
    """Whether smtplib sends mails, which a replacement accepts."""
    mongo: bool = False
    """Whether the application makes clients of MongoDB, which is played in memory."""
    clients: tuple[str, ...] = ()
    """Names of calls that connect to a missing service at import; mocks replace them."""


def why_not_there(host: str, port: int) -> str:
    """Return why a server does not answer, in a few words; empty where it does."""
    try:
        with socket.create_connection((host, port), timeout=CONNECT_SECONDS):
            return ""
    except TimeoutError:
        return "no answer"
    except OSError as failure:
        return (failure.strerror or str(failure) or "no connection").lower()
