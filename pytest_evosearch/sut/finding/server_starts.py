"""Runs a program of the project up to the start of its server.

The program would serve the application, with the routes that it has added. Each function that
starts a server is replaced by one that keeps the application and ends the program (`SystemExit`).
The written conftest.py contains the text of one replacement: see `sut.finding.program_text`.

Other programs that it would run first (a script that fills the database) are never run.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.alarm import cut_off_after
from pytest_evosearch.sut.finding.application_loader import LoadedApplication
from pytest_evosearch.sut.finding.application_loader import applications_in
from pytest_evosearch.sut.finding.application_loader import import_folders
from pytest_evosearch.sut.finding.application_loader import inner_application
from pytest_evosearch.sut.finding.program_text import MAIN_BLOCK
from pytest_evosearch.sut.finding.program_text import SERVED
from pytest_evosearch.sut.finding.program_text import ProgramText
from pytest_evosearch.sut.finding.programs import Program
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import bindings_of
from pytest_evosearch.sut.surroundings import add_to_path
from pytest_evosearch.sut.surroundings import prepared_process
from pytest_evosearch.sut.surroundings import project_modules

SECONDS = 20
"""Seconds for a program to start its server."""

THREAD_SECONDS = 0.5
"""Seconds to wait for a thread of a program that has ended."""


@dataclass(frozen=True)
class ServerStart:
    """A function that starts a server, and where it receives the application."""

    module: str
    name: str
    """Name of the function in its module: ``Flask.run``."""
    parameters: str
    """Source of its first parameters."""
    application: str
    """The application, as an expression of the parameters."""
    closes: bool = False
    """Whether the first parameter is a socket, which would stay open."""

    @property
    def target(self) -> str:
        """Return the full name of the function: ``flask.Flask.run``."""
        return f"{self.module}.{self.name}"


_STARTS = (
    ServerStart("flask", "Flask.run", "application", "application"),
    ServerStart("werkzeug.serving", "run_simple", "hostname, port, application", "application"),
    ServerStart("werkzeug.serving", "make_server", "host, port, app", "app"),
    ServerStart("wsgiref.simple_server", "make_server", "host, port, app", "app"),
    ServerStart("flask_socketio", "SocketIO.run", "sockets, app", "app"),
    ServerStart("waitress", "serve", "app", "app"),
    ServerStart("waitress", "create_server", "application", "application"),
    ServerStart("gevent.baseserver", "BaseServer.start", "server", "server.application"),
    ServerStart("eventlet.wsgi", "server", "sock, site", "site"),
    ServerStart("gunicorn.app.base", "BaseApplication.run", "program", "program.load()"),
    ServerStart("uvicorn", "run", "app", "app"),
    ServerStart("hypercorn.asyncio", "serve", "app", "app"),
    ServerStart("cheroot.wsgi", "Server.start", "server", "server.wsgi_app"),
    ServerStart("bjoern", "run", "wsgi_app", "wsgi_app"),
    ServerStart("livereload", "Server.serve", "server", "server.app"),
    ServerStart("tornado.wsgi", "WSGIContainer.__init__", "self, application", "application"),
)


_OF_A_SHELL = ("os.popen", "os.system")


class _Served:
    """The first application to be served, and the replaced function."""

    def __init__(self) -> None:
        self.application: Any = None
        self.start: ServerStart | None = None
        self._thread = threading.current_thread()
        self.elsewhere = False
        """Whether a thread started the server while the program went on."""
        self.unrun: dict[str, None] = {}
        """Functions by which the program would have run other programs."""

    def stand_in(self, start: ServerStart, module: ModuleType) -> Callable[..., Any]:
        """Return a replacement that keeps the application of a server, and ends the program."""
        source = f"lambda {start.parameters}, *args, **kwargs: {start.application}"
        package = module.__name__.partition(".")[0]
        application = eval(source, {package: sys.modules[package]})

        def start_server(*args: Any, **kwargs: Any) -> None:
            if self.start is None:
                self.application, self.start = application(*args, **kwargs), start
                if start.closes:
                    args[0].close()
                self.elsewhere = threading.current_thread() is not self._thread
            if threading.current_thread() is self._thread:
                raise SystemExit

        return start_server

    def run_nothing(self, function: str) -> Callable[..., Any]:
        """Return a replacement for a function that runs another program."""
        from unittest.mock import MagicMock  # imports asyncio

        done = MagicMock()

        def run(*args: Any, **kwargs: Any) -> Any:
            self.unrun[function] = None
            return done(*args, **kwargs)

        return run


def load_program(program: Program, root: Path) -> LoadedApplication:
    """Run `program`, and return the application that it would serve.

    Raise `ApplicationNotFound` (with a phrase) where it starts no server. Exceptions of the program
    are not caught.
    """
    reference = program.reference
    with prepared_process(root):
        if reference.directory is not None:
            add_to_path(reference.directory)
        add_to_path(root)
        module = importlib.import_module(reference.module)
        arguments = [str(program.path.relative_to(root))]
        served = _run(program, module, root, arguments)
    name = f"{module.__name__}:{program.function}()" if program.function else f"{program.path.name}"
    if served.start is None:
        raise ApplicationNotFound("it ends before it starts a server")
    if served.elsewhere:
        raise ApplicationNotFound(f"it starts its server ({served.start.target}) in a thread")
    found = inner_application(served.application, SERVED, "it serves")
    return replace(
        found,
        description=f"{name}, until {served.start.target}()",
        import_statement=f"import {module.__name__}",
        module=module.__name__,
        path_entries=import_folders(module, reference.directory),
        program=_text(program, module, served.start, arguments, tuple(served.unrun)),
    )


def _text(
    program: Program,
    module: ModuleType,
    start: ServerStart,
    arguments: list[str],
    unrun: tuple[str, ...],
) -> ProgramText:
    function = program.function
    return ProgramText(
        target=start.target,
        parameters=start.parameters,
        application=start.application,
        closed="listening" if start.closes else None,
        arguments=arguments,
        module=module.__name__,
        function=function,
        unrun=unrun,
    )


def _run(program: Program, module: ModuleType, root: Path, arguments: list[str]) -> _Served:
    served = _Served()
    with Patches() as patches:
        patches.setattr(sys, "argv", arguments)
        for start, owner, name in _replaceable(module, root):
            stand_in = served.stand_in(start, module)
            patches.setattr(owner, name, stand_in)
        for function in _runs_of_programs():
            owner_name, _, name = function.partition(".")
            stand_in = served.run_nothing(function)
            patches.setattr(sys.modules[owner_name], name, stand_in)
        patches.enter_context(_kept_depth())
        patches.enter_context(cut_off_after(SECONDS, _late))
        before = threading.enumerate()
        try:
            _call(program, module)
        except SystemExit as end:
            if served.start is None and end.code not in (None, 0):
                raise
        finally:
            _await_threads(before, served)
    return served


def _await_threads(before: list[threading.Thread], served: _Served) -> None:
    """Wait until threads of the program serve an application, while replacements are in place."""
    for thread in threading.enumerate():
        if thread not in before and served.start is None:
            thread.join(THREAD_SECONDS)


def _call(program: Program, module: ModuleType) -> None:
    if program.function is not None:
        vars(module)[program.function]()
        return
    namespace: dict[str, Any] = {"Path": Path, "ast": ast}
    exec(MAIN_BLOCK, namespace)
    namespace["run_main_block"](module)


def _replaceable(module: ModuleType, root: Path) -> Iterator[tuple[ServerStart, Any, str]]:
    """Yield the functions that may start a server, including those imported by name."""
    loaded = project_modules(root)
    text = "\n".join(read_source(Path(str(one.__file__))) for one in loaded)
    for start in _STARTS:
        owner = _owner(start, text)
        if owner is None:
            continue
        name = start.name.rpartition(".")[2]
        real = getattr(owner, name)
        yield start, owner, name
        if "." not in start.name:
            for module, bound in bindings_of(real, loaded):
                yield replace(start, module=module.__name__, name=bound), module, bound
    for name in applications_in(module):
        application = f"{module.__name__}.{name}"
        listen = ServerStart("socket", "socket.listen", "listening", application, closes=True)
        yield listen, sys.modules["socket"].socket, "listen"
        return


def _owner(start: ServerStart, text: str) -> Any:
    """Return the module or class of the function, None when the project does not have it."""
    package = start.module.partition(".")[0]
    if package not in sys.modules and not re.search(rf"\b{package}\b", text):
        return None
    if package not in sys.modules and importlib.util.find_spec(package) is None:
        return None
    try:
        owner: Any = importlib.import_module(start.module)
    except ImportError:
        return None
    for part in start.name.split(".")[:-1]:
        owner = getattr(owner, part, None)
    return owner if hasattr(owner, start.name.rpartition(".")[2]) else None


def _runs_of_programs() -> Iterator[str]:
    """Yield the functions of the standard library that run other programs."""
    yield from _OF_A_SHELL
    for name in subprocess.__all__:
        if name == "Popen" or inspect.isfunction(getattr(subprocess, name)):
            yield f"subprocess.{name}"


@contextmanager
def _kept_depth() -> Iterator[None]:
    """Keep the recursion limit: some programs set one that overflows the C stack."""
    depth = sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)


def _late() -> ApplicationNotFound:
    """Return the error for a program that starts no server and does not end."""
    return ApplicationNotFound(f"it does not start a server within {SECONDS} s")
