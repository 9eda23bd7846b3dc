"""The module of tests that need a browser: one test for each fault that only a browser shows.

It stands in a folder of its own, so that no run of the other tests collects it: pytest-playwright
keeps an event loop in the thread of the tests.  The application is served in a thread.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.browser.installed_browser import PROGRAMS
from pytest_evosearch.sut.browser.page_steps import Filling
from pytest_evosearch.sut.browser.page_steps import PageStep

FOLDER = "browser"
MODULE = "test_evosearch_browser_pages.py"

_CHECKS = """\
# uncaught error
found = []
page.on("pageerror", lambda error: found.append(error.message))
...
assert found == []

# console error
found = []
page.on("console", lambda line: line.type == "error" and found.append(line.text))
...
assert [one for one in found if not one.startswith("Failed to load")] == []

# failed request
found = []
page.on("response", lambda answer: answer.status > 399 and found.append(answer.url))
...
assert [one for one in found if not one.endswith("/favicon.ico")] == []

# broken image
...
images = page.locator("img").evaluate_all(
    "all => all.filter(one => one.complete && !one.naturalWidth).map(one => one.src)"
)
assert images == []

# overflow
page.set_viewport_size({"width": 390, "height": 844})
...
assert page.evaluate("document.documentElement.scrollWidth") <= 390
"""


def _read_checks() -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    for check in _CHECKS.rstrip().split("\n\n"):
        title, *lines = check.splitlines()
        opening = lines.index("...")
        yield title.removeprefix("# "), (lines[:opening], lines[opening + 1 :])


CHECKED_KINDS = dict(_read_checks())
"""Kind of a problem -> what a test does before it opens the page, and what it asserts."""

LONGEST_NAME = 70
"""Most characters of a test's name."""

_HEAD = '''\
"""Faults that only a browser shows, found by pytest-evosearch.

Run them alone:  pytest {place}
They need pytest-playwright, and a Chromium.  A file that you have edited is not written again.
"""

import shutil
import threading

import pytest
from werkzeug.serving import make_server

pytest.importorskip("pytest_playwright", reason="pytest-playwright is not installed")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Use a Chromium of the system, if there is one."""
    names = {programs}
    program = next(filter(None, map(shutil.which, names)), None)
    chosen = {{"executable_path": program}} if program else {{}}
    return {{**browser_type_launch_args, **chosen}}


@pytest.fixture
def address({client}):
    """Serve the application in a thread, and return its address."""
    server = make_server("127.0.0.1", 0, {client}.application, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{{server.server_port}}"
    server.shutdown()
    thread.join()
'''

_DIGEST = "# pytest-evosearch wrote all above: "


@dataclass(frozen=True)
class BrowserFault:
    """What one test shows."""

    kind: str
    message: str
    start: str
    """The path of the page that is opened first."""
    page: str
    """The path of the page that shows it."""
    way: tuple[PageStep, ...]

    @property
    def attempts(self) -> tuple[BrowserFault, ...]:
        """Return ways to show it, the shortest first: its page, only clicks, all that was done."""
        clicks = tuple(step._replace(fillings=()) for step in self.way)
        return replace(self, start=self.page, way=()), replace(self, way=clicks), self


def names_of(faults: Iterable[BrowserFault]) -> dict[str, BrowserFault]:
    """Return each fault by the name of its test."""
    found: dict[str, BrowserFault] = {}
    for fault in faults:
        found[_name(fault, found)] = fault
    return found


def source_of(name: str, fault: BrowserFault, marked: bool = True) -> str:
    """Return the source of a test; a `marked` one is expected to fail."""
    return "\n".join(_lines(name, fault, marked)) + "\n"


def module_text(client: str, place: str, tests: Iterable[str]) -> str:
    """Return the module with these tests; `client` is the fixture of the client."""
    text = "\n\n".join(
        (
            _HEAD.format(client=client, place=place, programs=", ".join(map(_quoted, PROGRAMS))),
            *tests,
        )
    )
    return f"{text}\n\n{_DIGEST}{_digest(text)}\n"


def is_edited(text: str) -> bool:
    """Say whether people have changed a module since it was written."""
    body, mark, digest = text.rpartition(f"\n\n{_DIGEST}")
    return not mark or _digest(body) != digest.strip()


def tests_in(text: str) -> dict[str, str]:
    """Return the source of each test of a module by its name."""
    found = {}
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min(node.lineno, *(one.lineno for one in node.decorator_list), node.lineno)
            found[node.name] = "\n".join(lines[first - 1 : node.end_lineno]) + "\n"
    return found


def _digest(text: str) -> str:
    return sha256(text.rstrip().encode()).hexdigest()[:16]


def _name(fault: BrowserFault, taken: Collection[str]) -> str:
    page = re.sub(r"\W+", "_", fault.start).strip("_") or "index"
    done = "_".join(f"click_{one.name}" for one in fault.way[-1:])
    words = re.sub(r"[^a-z0-9]+", "_", f"{done or 'open'}_on_{page}_{fault.kind}".lower())
    name = f"test_{words.strip('_')}"[:LONGEST_NAME].rstrip("_")
    numbers = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbers if one not in taken)


def _lines(name: str, fault: BrowserFault, marked: bool) -> Iterator[str]:
    before, after = CHECKED_KINDS[fault.kind]
    if marked:
        yield "@pytest.mark.xfail("
        yield f"    reason={_quoted(f'{fault.kind}: {fault.message}')},"
        yield "    raises=AssertionError,"
        yield "    strict=True,"
        yield ")"
    yield f"def {name}(page, address):"
    body = [*before, f'page.goto(f"{{address}}{_escaped(fault.start)}")']
    for step in fault.way:
        body += [*map(_filled, step.fillings), _clicked(step)]
    if fault.way:
        body.append("page.wait_for_timeout(1_000)  # scripts go on after the click")
    else:
        body.append('page.wait_for_load_state("networkidle")')
    body += ["", *after]
    yield from (f"    {line}" if line else "" for line in body)


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    quoted = repr(text)
    return quoted if '"' in text or quoted[0] == '"' else f'"{quoted[1:-1]}"'.replace("\\'", "'")


def _clicked(step: PageStep) -> str:
    found = f"page.get_by_text({_quoted(step.name)}, exact=True)"
    if step.role:
        found = f"page.get_by_role({_quoted(step.role)}, name={_quoted(step.name)}, exact=True)"
    place = f".nth({step.place})" if step.place else ".first" if not step.role else ""
    return f"{found}{place}.click()"


def _filled(field: Filling) -> str:
    selector = _quoted('[name="' + field.name + '"]')
    found = f"page.locator({selector}).first"
    if field.label:
        found = f"page.get_by_label({_quoted(field.label)}, exact=True).first"
    if field.kind in ("checkbox", "radio"):
        return f"{found}.{'check' if field.value else 'uncheck'}()"
    if field.kind.startswith("select"):
        return f"{found}.select_option({_quoted(field.value)})"
    return f"{found}.fill({_quoted(field.value)})"
