"""Says what stands in for services that an application asks, in its tests as in the search."""

from __future__ import annotations

from typing import NamedTuple


class StandIns(NamedTuple):
    """What a written conftest.py puts in the place of services."""

    address_checks: bool = False
    """Addresses would be checked with the servers of their domains."""
    mail_server: bool = False
    """Mails are sent by smtplib, and a stand-in takes them."""
    clients: tuple[str, ...] = ()
    """What connects when the application is loaded, where nothing is there: mocks replace it."""
