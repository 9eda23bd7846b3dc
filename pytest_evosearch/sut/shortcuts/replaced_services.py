"""The services that are replaced, in the written tests as in the search."""

from __future__ import annotations

from typing import NamedTuple


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
