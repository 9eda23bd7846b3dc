"""What the probes cost: CPU time of instrumented handlers over plain ones, beside other tools.

    python -m benchmarks.instrumentation                         this Python
    python -m benchmarks.instrumentation --rounds 15             more rounds
    python -m benchmarks.instrumentation --evomaster DIR         with the wheel of evomaster-client

Every figure is the median over rounds in which all variants take turns, forwards and backwards, on
the CPU clock of the thread; where other work shares the machine and its caches, the quickest round
says more, and is printed too.  Each variant is a copy of `instrumentation_handlers` of its own.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import random
import statistics
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextlib import contextmanager
from contextlib import nullcontext
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from time import thread_time_ns
from typing import NamedTuple

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import install
from pytest_evosearch.instrument.transformation.plan import ModulePlan

HANDLERS = Path(__file__).with_name("instrumentation_handlers.py")

FUTURE = "from __future__ import annotations\n"
"""Taken out of the copies: evomaster-client cannot load a module with it."""

WORKLOADS = {
    "trivial": ["/ping", "/json", "/json?name=x"],
    "strings": [f"/classify?subject={s}&kind={k}" for s in ("mr", "sirx", "q") for k in ("a", "7")],
    "while": ["/while"],
    "for": ["/for"],
    "gcd, live": ["/gcd"],
    "triangle, live": ["/triangle"],
    "orm": ["/orm", "/orm?least=15"],
}
REPEATS = {"trivial": 20, "strings": 10, "orm": 12}
"""How often a workload's requests are sent in one round; loops once or twice.

The loops called live hold a branch that no input covers: its probe stays in the hot loop.
"""

SERVER_ERROR = 500

TRAINING = 150
"""Random requests before steady state is measured."""


@dataclass
class Variant:
    """One copy of the handlers, and what surrounds its requests."""

    name: str
    module: types.ModuleType
    recording: Recording | None = None
    surrounding: Callable[[], AbstractContextManager[object]] = nullcontext
    covered: set[str] = field(default_factory=set)
    failures: int = 0
    """Requests that the tool made fail."""

    def __post_init__(self) -> None:
        """Make the client."""
        self.client = self.module.app.test_client()

    def send(self, url: str) -> None:
        """Send one request, as a test of its own when there are probes."""
        if self.recording is None:
            self.failures += self.client.get(url).status_code >= SERVER_ERROR
            return
        self.recording.begin()
        self.failures += self.client.get(url).status_code >= SERVER_ERROR
        trace = self.recording.end()
        new = [t for t, s in trace.scores.items() if s == 1.0 and t not in self.covered]
        if new:
            self.covered.update(new)
            self.recording.retire(new)


class Workshop:
    """Imports copies of the handlers from a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        sys.path.insert(0, str(folder))

    def copy(self, name: str) -> str:
        """Copy the handlers to a module called `name`."""
        text = HANDLERS.read_text(encoding="utf-8").replace(FUTURE, "")
        (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return name

    def plain(self, name: str, label: str) -> Variant:
        """Return handlers without probes."""
        return Variant(label, importlib.import_module(self.copy(name)))

    def instrumented(self, name: str, label: str, level: int) -> Variant:
        """Return handlers with probes, everything live."""
        recording = install([self.copy(name)], level=level)
        variant = Variant(label, importlib.import_module(name), recording)
        recording.retire_background()
        return variant


def requests(rng: random.Random, count: int) -> list[str]:
    """Draw requests as a search would send them, most of them small."""
    words = ["", "mr", "MRS", "dr", "sirs", "esq", "x", "alpha", "7", "yz", "male", "zz"]
    drawn = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            drawn.append(f"/classify?subject={rng.choice(words)}&kind={rng.choice(words)}")
        elif kind < 0.7:
            drawn.append(rng.choice(["/ping", "/json", "/json?name=a", "/json?name=nobody"]))
        elif kind < 0.9:
            drawn.append(f"/orm?least={rng.randrange(25)}")
        else:
            view = rng.choice(["while", "for", "gcd", "triangle"])
            drawn.append(f"/{view}?n={rng.randrange(2, 60)}")
    return drawn


def train(variant: Variant) -> None:
    """Send the requests after which only what is hard to cover is live."""
    for url in requests(random.Random(7), TRAINING):
        variant.send(url)
    for urls in WORKLOADS.values():
        for url in urls:
            variant.send(url)


class Times(NamedTuple):
    """What one task took (ns)."""

    median: float
    quickest: float


def interleaved(tasks: list[Callable[[], int]], rounds: int) -> list[Times]:
    """Run the tasks in turns, forwards and backwards; return what each one took."""
    times: list[list[int]] = [[] for _ in tasks]
    for task in tasks:
        task()
    for turn in range(rounds):
        order = range(len(tasks)) if turn % 2 == 0 else range(len(tasks) - 1, -1, -1)
        for index in order:
            times[index].append(tasks[index]())
    return [Times(statistics.median(each), min(each)) for each in times]


def timed(variant: Variant, urls: list[str], repeats: int) -> Callable[[], int]:
    """Return a task that sends the requests and returns the CPU time."""

    def task() -> int:
        with variant.surrounding():
            started = thread_time_ns()
            for _ in range(repeats):
                for url in urls:
                    variant.send(url)
            return thread_time_ns() - started

    return task


def variants(workshop: Workshop, evomaster: str | None) -> list[Variant]:
    """Return all variants, the plain one first."""
    found = [workshop.plain("bench_plain", "plain")]
    for level in (1, 2, 3):
        live = workshop.instrumented(f"bench_live{level}", f"level {level}, all live", level)
        # Nothing is ever retired: what a first test costs.
        live.covered.update(live.recording.catalog.targets())  # type: ignore[union-attr]
        found.append(live)
    for level in (1, 2, 3):
        guards = workshop.instrumented(f"bench_guards{level}", f"level {level}, guards", level)
        train(guards)
        found.append(guards)
    for level in (1, 2, 3):
        special = workshop.instrumented(f"bench_special{level}", f"level {level}, respec.", level)
        train(special)
        special.recording.respecialize()  # type: ignore[union-attr]
        found.append(special)
    found.extend(measured_by_coverage(workshop))
    if evomaster:
        found.extend(measured_by_evomaster(workshop, evomaster))
    return found


def measured_by_coverage(workshop: Workshop) -> list[Variant]:
    """Return plain handlers under coverage.py, with each core that there is."""
    try:
        import coverage
    except ImportError:
        return []
    found = []
    cores = ["ctrace"] + (["sysmon"] if sys.version_info >= (3, 12) else [])
    for core in cores:
        for branch in (False, True):
            if core == "sysmon" and branch and sys.version_info < (3, 14):
                continue
            name = f"bench_{core}_{'branch' if branch else 'line'}"
            label = f"coverage {core} {'branch' if branch else 'line'}"
            variant = workshop.plain(name, label)
            measuring = coverage.Coverage(
                data_file=None,
                branch=branch,
                config_file=False,
                include=[str(workshop.folder / "*")],
            )
            with suppress(Exception):
                measuring.set_option("run:core", core)

            @contextmanager
            def surrounding(measuring=measuring):  # type: ignore[no-untyped-def]
                measuring.start()
                try:
                    yield
                finally:
                    measuring.stop()

            variant.surrounding = surrounding
            found.append(variant)
    return found


def measured_by_evomaster(workshop: Workshop, folder: str) -> list[Variant]:
    """Return handlers with the probes of evomaster-client 0.0.8, whose wheel is unpacked there."""
    sys.path.insert(0, folder)
    if find_spec("astor") is None:
        # Used for debug messages only.
        sys.modules["astor"] = types.SimpleNamespace(to_source=ast.unparse)  # type: ignore[assignment]
    try:
        hook = importlib.import_module("evomaster_client.instrumentation.import_hook")
    except Exception as error:
        print(f"evomaster-client: {type(error).__name__}: {error}")
        return []
    found = []
    for level in (1, 2, 3):
        name = workshop.copy(f"bench_evomaster{level}")
        with hook.install_import_hook([name], level):
            try:
                module = importlib.import_module(name)
                found.append(Variant(f"evomaster-client level {level}", module))
            except Exception as error:
                print(f"evomaster-client level {level}: {type(error).__name__}: {error}")
    return found


def handlers_table(workshop: Workshop, rounds: int, evomaster: str | None) -> None:
    """Print instrumented / plain for each workload and variant."""
    compared = variants(workshop, evomaster)
    columns: dict[str, list[Times]] = {}
    crashed: dict[str, set[str]] = {}
    for name, urls in WORKLOADS.items():
        repeats = REPEATS.get(name, 1)
        before = [each.failures for each in compared]
        columns[name] = interleaved([timed(v, urls, repeats) for v in compared], rounds)
        crashed[name] = {v.name for v, b in zip(compared, before, strict=True) if v.failures > b}
    for summary, title in enumerate(("median", "quickest round")):
        summarised = {name: [each[summary] for each in column] for name, column in columns.items()}
        _print_table(title, compared, summarised, crashed)


def _print_table(
    title: str,
    compared: list[Variant],
    columns: dict[str, list[float]],
    crashed: dict[str, set[str]],
) -> None:
    print(f"| {title} | " + " | ".join(WORKLOADS) + " |")
    print("|---|" + "---|" * len(WORKLOADS))
    for index, variant in enumerate(compared):
        if index == 0:
            cells = [
                f"{columns[name][0] / 1000 / len(urls) / REPEATS.get(name, 1):.0f} us"
                for name, urls in WORKLOADS.items()
            ]
        else:
            cells = [
                "crashes"
                if variant.name in crashed[name]
                else f"{columns[name][index] / columns[name][0]:.2f}"
                for name in WORKLOADS
            ]
        print(f"| {variant.name} | " + " | ".join(cells) + " |")
    print()


def mix(workshop: Workshop, tests: int = 3000) -> None:
    """Print the cost of a search-like run: every test once, milestones included."""
    plain = workshop.plain("bench_mix_plain", "plain")
    urls = requests(random.Random(3), tests)
    for special in (False, True):
        name = f"bench_mix{int(special)}"
        probed = workshop.instrumented(name, name, 3)
        for url in requests(random.Random(1), 20):
            plain.send(url)
        totals, late = [0, 0], [0, 0]
        for number, url in enumerate(urls):
            order = (0, 1) if number % 2 else (1, 0)
            for index in order:
                started = thread_time_ns()
                (plain, probed)[index].send(url)
                if special and index and number in (200, 1000):
                    probed.recording.respecialize()  # type: ignore[union-attr]
                spent = thread_time_ns() - started
                totals[index] += spent
                if number >= tests - 500:
                    late[index] += spent
        kind = "re-specialised at 200 and 1000" if special else "guards only"
        print(
            f"mix of {tests} tests, {kind}: total {totals[1] / totals[0]:.2f}, "
            f"last 500 {late[1] / late[0]:.2f}"
        )


STATEMENTS = 30


def bookkeeping(rounds: int) -> None:
    """Print what begin and end cost by the targets that a test touches, less the clock itself."""
    rows = []
    for touched in (0, 30, 300, 3000):
        # Functions of thirty statements, as they are: nobody writes one of three thousand.
        parts = range(max(touched // STATEMENTS, 1))
        source = "".join(f"def f{each}():\n" + "    a = 1\n" * STATEMENTS for each in parts)
        source += "def f():\n" + "".join(f"    f{each}()\n" for each in parts)
        recording, module = adopted(source)
        function = module["f"] if touched else int

        def task(
            recording: Recording = recording, function: Callable[[], object] = function
        ) -> int:
            spent = 0
            for _ in range(20):
                started = thread_time_ns()
                recording.begin()
                spent += thread_time_ns() - started
                function()
                started = thread_time_ns()
                recording.end()
                spent += thread_time_ns() - started
                for _ in range(2):
                    started = thread_time_ns()
                    spent -= thread_time_ns() - started
            return spent

        (times,) = interleaved([task], rounds)
        median, quickest = (each / 20_000 for each in times)
        rows.append(f"{touched} touched {median:.1f} us (quickest {quickest:.1f})")
    print("begin + end: " + ", ".join(rows))


def adopted(source: str, targets: int = 0) -> tuple[Recording, dict[str, object]]:
    """Return a recording that knows `source` (and `targets` others), and its namespace."""
    from pytest_evosearch.instrument.transformation.compilation import compile_instrumented

    recording = Recording(3)
    if targets:
        plan = ModulePlan("other.py")
        for line in range(targets):
            plan.add_line(line, ())
        empty = compile("pass", "other.py", "exec")
        recording.adopt("other", Path("other.py"), plan, empty)
    code, plan = compile_instrumented(source, "subject.py", "subject.py", 3)
    namespace: dict[str, object] = {"__name__": "subject"}
    exec(recording.adopt("subject", Path("subject.py"), plan, code), namespace)
    return recording, namespace


def many_targets(rounds: int) -> None:
    """Print how a test's cost depends on how many targets the program has."""
    source = (
        "def f(n):\n    t = 0\n    for i in range(n):\n        if i == -1:\n            t += 1\n"
        "    return str(t)\n"
    )
    tasks = []
    for targets in (2_000, 200_000):
        recording, module = adopted(source, targets)
        function = module["f"]

        def task(recording: Recording = recording, function: object = function) -> int:
            started = thread_time_ns()
            for _ in range(50):
                recording.begin()
                function(60)  # type: ignore[operator]
                recording.end()
            return thread_time_ns() - started

        tasks.append(task)
    few, many = interleaved(tasks, max(rounds, 9))
    print(
        f"200,000 targets / 2,000 targets, per test: {many.median / few.median:.3f} "
        f"(quickest {many.quickest / few.quickest:.3f})"
    )


IMPORTED = (
    *("argparse", "difflib", "configparser", "textwrap", "optparse", "tarfile"),
    *("calendar", "csv", "shlex"),
)


def imports(workshop: Workshop, rounds: int) -> None:
    """Print the import of copies of some modules: plain (from .pyc), cold, and from the cache."""
    names, lines = [], 0
    for name in IMPORTED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        text = Path(spec.origin).read_text(encoding="utf-8")
        lines += text.count("\n")
        (workshop.folder / f"bench_import_{name}.py").write_text(text, encoding="utf-8")
        names.append(f"bench_import_{name}")
    importlib.invalidate_caches()
    # Plain imports are to read bytecode, also where the environment forbids writing it.
    sys.dont_write_bytecode = False

    def importing(cache: Path | None, instrumented: bool) -> int:
        for name in names:
            sys.modules.pop(name, None)
        recording = install(names, level=3, cache=cache) if instrumented else None
        started = thread_time_ns()
        for name in names:
            importlib.import_module(name)
        spent = thread_time_ns() - started
        if recording is not None:
            recording.uninstall()
        return spent

    kept = workshop.folder / "kept"
    importing(None, False)
    compiled = len(list((workshop.folder / "__pycache__").glob("bench_import_*.pyc")))
    assert compiled == len(names), "plain imports would compile"
    plain, cold, cached = interleaved(
        [
            lambda: importing(None, False),
            lambda: importing(None, True),
            lambda: importing(kept, True),
        ],
        rounds,
    )
    for summary, title in enumerate(("median", "quickest round")):
        bare, first, second = plain[summary], cold[summary], cached[summary]
        print(
            f"import of {lines} lines, {title}: plain {bare / 1e6:.1f} ms, "
            f"cold {first / 1e6:.0f} ms ({first / 1e3 / lines:.0f} ms per 1,000 lines), "
            f"cached {second / 1e6:.1f} ms ({second / bare:.2f} times plain)"
        )


def lean_path(workshop: Workshop, rounds: int) -> None:
    """Print requests per second of the ordinary client and of the lean sender."""
    from pytest_evosearch.sut.clients.client import send
    from pytest_evosearch.sut.clients.fast_client import LeanSender

    module = importlib.import_module(workshop.copy("bench_lean"))
    client = module.app.test_client()
    lean = LeanSender(module.app).send

    def sending(way: Callable[..., object]) -> Callable[[], int]:
        def task() -> int:
            started = thread_time_ns()
            for _ in range(50):
                way(client, method="GET", path="/ping")
            return thread_time_ns() - started

        return task

    def ordinary(client, method, path):  # type: ignore[no-untyped-def]
        return client.open(path, method=method)

    times = interleaved([sending(ordinary), sending(send), sending(lean)], rounds)
    rates = [50e9 / each.median for each in times]
    print(
        f"requests per second of CPU: client.get {rates[0]:.0f}, sut.client.send {rates[1]:.0f}, "
        f"lean {rates[2]:.0f} ({rates[2] / rates[0]:.1f} times client.get)"
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--evomaster", metavar="DIR")
    parser.add_argument("--only", choices=["handlers", "mix", "book", "import", "lean"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"### Python {sys.version.split()[0]}\n")
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        parts = {
            "handlers": lambda: handlers_table(workshop, options.rounds, options.evomaster),
            "mix": lambda: (print(), mix(workshop)),
            "book": lambda: (bookkeeping(options.rounds), many_targets(options.rounds)),
            "import": lambda: imports(workshop, options.rounds),
            "lean": lambda: lean_path(workshop, options.rounds),
        }
        for name, part in parts.items():
            if options.only in (None, name):
                part()
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
