"""A search where Python has none of what only POSIX systems have, as on Windows."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

SITE = """
import os, select, signal, socket, subprocess, sys, tempfile

for name in ("fcntl", "grp", "pwd", "readline", "resource", "termios"):
    sys.modules[name] = None
MISSING = {
    os: ("fork", "getpgid", "register_at_fork", "sched_getaffinity", "setsid", "wait4"),
    select: ("poll",),
    signal: ("SIGALRM", "SIGHUP", "SIGUSR1", "alarm", "pthread_sigmask", "setitimer"),
    socket: ("AF_UNIX",),
}
for module, names in MISSING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""
"""Put out of reach before anything of ours is imported.

What `subprocess` itself needs stays (``os.killpg``, ``os.WNOHANG``): `os.name` is still "posix".
"""


def test_search_writes_tests_that_hold(orders, monkeypatch: pytest.MonkeyPatch) -> None:
    orders.write(site__sitecustomize=SITE)
    places = [str(orders.path / "site"), os.environ["PYTHONPATH"]]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    assert orders.pytester.runpython_c("import os; os.fork").ret == 1
    result = orders.search_with("", budget="60x", subprocess=True)
    assert result.ret == 0, result.outlines
    assert "def test_post_orders_then_get_order" in orders.written
    assert orders.passes_without_plugin()
