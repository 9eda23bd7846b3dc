"""Plays MongoDB in memory, by mongomock, for an application without fixtures.

Its server would be changed by a search, and is often not there.  Every client has one store, whose
content is restored as that of fixtures (`sut.state.in_memory_servers`).  The search executes the
class that the written conftest.py contains.

Where mongomock is not installed, a server that answers is refused, and `advice` says what to do.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import textwrap
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import mmap
from types import ModuleType
from typing import Any

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.deeds import defined
from pytest_evosearch.sut.late_imports import changed_modules
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.shortcuts.replaced_services import why_not_there

FIXTURE = "mongo_in_memory"

DRIVER = "pymongo"
PACKAGE = "mongomock"

ADVICE = f"{PACKAGE} is not installed, which plays MongoDB in memory"

_PLACES = ("pymongo.MongoClient", "pymongo.mongo_client.MongoClient")
"""Where applications and their libraries find the class of clients."""

_CLASS = """\
store = mongomock.store.ServerStore()

class Client(mongomock.MongoClient):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, _store=store, **kwargs)
"""


@contextmanager
def mongo_in_memory() -> Iterator[Callable[[], bool]]:
    """Give each client a store in memory, from the moment at which the driver is imported.

    Yield a function that says whether the application made such a client, in any forked process.
    """
    used = mmap(-1, 1)
    with Patches() as patches:

        def change(_driver: ModuleType) -> None:
            made = _played_class(used) if is_installed() else _refusing_class()
            for place in _PLACES:
                module, _, name = place.rpartition(".")
                patches.setattr(importlib.import_module(module), name, made)

        with changed_modules({DRIVER: change}):
            yield lambda: used[0] == 1


def _played_class(used: mmap) -> type:
    """Return the class of clients in memory, which notes that it is used."""
    client: Any = defined(_CLASS, mongomock=importlib.import_module(PACKAGE))["Client"]

    class NotedClient(client):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            used[0] = 1
            super().__init__(*args, **kwargs)

    return NotedClient


def _refusing_class() -> type:
    """Return the driver's class of clients, which refuses a server that answers."""
    real: Any = sys.modules[DRIVER].MongoClient

    class RefusingClient(real):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            for host, port in getattr(self._topology_settings, "seeds", ()):
                if not why_not_there(host, port):
                    self.close()
                    raise EvosearchUsageError(
                        f"the application works on a MongoDB database ({host}:{port}), which a "
                        f"search would change, and {ADVICE}; install it, or allow the server with "
                        "--evosearch-allow-db"
                    )

    return RefusingClient


def advice() -> str:
    """Return what an application that misses its MongoDB needs; empty where that is not so."""
    return ADVICE if DRIVER in sys.modules and not is_installed() else ""


def is_installed() -> bool:
    """Say whether MongoDB can be played."""
    return importlib.util.find_spec(PACKAGE) is not None


def mongo_fixture() -> str:
    """Return the fixture that plays MongoDB in memory in written tests."""
    patches = "".join(f'        patch.setattr("{place}", Client)\n' for place in _PLACES)
    return (
        '@pytest.fixture(scope="session")\n'
        f"def {FIXTURE}():\n"
        '    """MongoDB in memory: no test touches a server."""\n'
        f'    {PACKAGE} = pytest.importorskip("{PACKAGE}")\n'
        f"{textwrap.indent(_CLASS, '    ')}\n"
        "    with pytest.MonkeyPatch.context() as patch:\n"
        f"{patches}"
        "        yield\n"
    )
