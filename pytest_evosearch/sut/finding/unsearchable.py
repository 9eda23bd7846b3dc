"""Finds what an application serves but no HTTP request reaches, with the reasons.

These are Socket.IO events (Flask-SocketIO), web sockets (Flask-Sock and others that use the URL
map), and mounted applications that are not Flask's. An address at several hosts (``host_matching``,
subdomains) is searched at only one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.mounted import foreign_mounts

EVENT = "event of Socket.IO"
WEB_SOCKET = "web socket"
MOUNT = "mounted application"
OTHER_HOST = "address at another host"

_PLURALS_AND_REASONS = {
    EVENT: ("events of Socket.IO", "not searched, as no request of HTTP sends it"),
    WEB_SOCKET: ("web sockets", "not searched, as no request of HTTP opens it"),
    MOUNT: ("mounted applications", "not searched, as it is no Flask application"),
    OTHER_HOST: (
        "addresses at other hosts",
        "not searched, as the same address is searched at the host of its first rule",
    ),
}

MOST_NAMES = 5
"""Most names of one kind in the summary; the reports have all of them."""


@dataclass(frozen=True)
class Unsearchable:
    """A served item that cannot be searched."""

    kind: str
    name: str
    """Name of the item: ``chat``, ``/ws``."""

    @property
    def reason(self) -> str:
        """Why it cannot be searched."""
        return _PLURALS_AND_REASONS[self.kind][1]


def unsearchable(app: Any) -> list[Unsearchable]:
    """Return the items of `app` that no request reaches, by kind and name."""
    found = [
        *(Unsearchable(EVENT, name) for name in _events(app)),
        *(Unsearchable(WEB_SOCKET, rule) for rule in _web_sockets(app)),
        *(Unsearchable(MOUNT, path) for path in foreign_mounts(app)),
        *(Unsearchable(OTHER_HOST, name) for name in _other_hosts(app)),
    ]
    return sorted(set(found), key=lambda one: (one.kind, one.name))


def unsearchable_summary(found: list[Unsearchable]) -> str:
    """Return ``2 events of Socket.IO (chat, join): not searched, as ...``, or an empty text."""
    parts = []
    for kind, group in groupby(found, key=lambda one: one.kind):
        names = [one.name for one in group]
        more = ", ..." if len(names) > MOST_NAMES else ""
        plural, reason = _PLURALS_AND_REASONS[kind]
        noun = kind if len(names) == 1 else plural
        listed = ", ".join(names[:MOST_NAMES])
        parts.append(f"{len(names)} {noun} ({listed}{more}): {reason}")
    return "; ".join(parts)


def _web_sockets(app: Any) -> Iterator[str]:
    for rule in app.url_map.iter_rules():
        if rule.websocket:
            yield rule.rule


def _other_hosts(app: Any) -> Iterator[str]:
    """Yield ``GET / at <tenant>.shop.org`` for a rule that another rule has at its own host."""
    searched: dict[tuple[str, str], str] = {}
    for rule in app.url_map.iter_rules():
        if rule.build_only or rule.websocket or rule.redirect_to is not None:
            continue
        host = rule.host or rule.subdomain or ""
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            if searched.setdefault((method, rule.rule), host) != host:
                yield f"{method} {rule.rule} at {host or 'any host'}"


def _events(app: Any) -> Iterator[str]:
    """Yield the events with Flask-SocketIO handlers, with their namespace if there is one."""
    extensions = getattr(app, "extensions", {})
    socketio = extensions.get("socketio") if isinstance(extensions, Mapping) else None
    if socketio is None:
        return
    waiting = getattr(socketio, "handlers", None) or ()
    for entry in waiting:  # without a server yet: (event, handler, namespace)
        yield _event(str(entry[0]), str(entry[2]))
    server = getattr(socketio, "server", None)
    for namespace, handlers in dict(getattr(server, "handlers", None) or {}).items():
        for event in handlers:
            yield _event(str(event), str(namespace))
    for owner in (socketio, server):
        yield from _events_of_classes(getattr(owner, "namespace_handlers", None))


def _events_of_classes(namespaces: Any) -> Iterator[str]:
    """Yield the events of classes with methods ``on_event``."""
    known = namespaces.values() if isinstance(namespaces, Mapping) else namespaces or ()
    for one in known:
        for name in dir(one):
            if name.startswith("on_") and callable(getattr(one, name)):
                yield _event(name.removeprefix("on_"), str(getattr(one, "namespace", "/")))


def _event(name: str, namespace: str) -> str:
    return name if namespace in ("/", "None", "") else f"{name} in {namespace}"
