from __future__ import annotations

import socket

import pytest

from pytest_evosearch.sut.shortcuts.name_lookups import remembered_look_up_failures


def test_a_host_that_was_not_found_is_looked_up_once(monkeypatch):
    asked = []

    def getaddrinfo(host, port, family=0):
        asked.append((host, port, family))
        if host == "found":
            return []
        raise socket.gaierror(socket.EAI_NONAME, f"no {host}")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with remembered_look_up_failures():
        for _ in range(3):
            with pytest.raises(socket.gaierror, match="no nowhere") as failure:
                socket.getaddrinfo("nowhere", 80)
            assert failure.value.errno == socket.EAI_NONAME
        socket.getaddrinfo("found", 80)
        socket.getaddrinfo("found", 80)
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere", 80)

    assert asked == [("nowhere", 80, 0), ("found", 80, 0), ("found", 80, 0), ("nowhere", 80, 0)]
