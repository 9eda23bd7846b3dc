"""Every option of the command line and the ini file, in one table."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.settings.oracle_specs import GROUPS
from pytest_evosearch.settings.oracle_specs import ORACLE_NAMES

DEFAULT_BUDGET = "10m"
"""Budget of ``--evosearch`` without a value."""

HIGHEST_LEVEL = 3
"""Highest level of instrumentation; each level adds to the one below.

0 is a black box, 1 marks statements, 2 adds distances of comparisons, 3 adds boolean structure,
calls and hints.
"""


class Kind(Enum):
    """What kind of value an option takes."""

    BUDGET = "budget"
    TEXT = "text"
    INTEGER = "integer"
    SWITCH = "switch"
    LIST = "list"
    """Text; the option can be repeated."""
    WORDS = "words"
    """Words, separated by commas; the option can be repeated."""
    PATH = "path"
    """A path, relative to the folder of the command or of the ini file."""
    PATH_OR_ROUTE = "path or route"
    """A path where such a file exists, else text."""


class Option(NamedTuple):
    """One option: a command-line flag and the ini key with the same name."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None
    default: object = None
    choices: tuple[str, ...] = ()
    """The allowed words; empty where any text is allowed."""
    bare: str = ""
    """The value of the flag alone; empty for a flag that needs one."""
    accumulates: bool = False
    """Whether the command line adds to the ini file instead of replacing its value."""

    @property
    def flag(self) -> str:
        """Return the flag: ``--evosearch-allow-db``; that of the budget is ``--evosearch``."""
        if self.kind is Kind.BUDGET:
            return "--evosearch"
        return f"--evosearch-{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Return the ini key, for example ``evosearch_allow_db``.

        The namespace of pytest's options has an attribute with this name.
        """
        return self.flag.lstrip("-").replace("-", "_")


ALGORITHMS = ("mio", "mosa", "dynamosa", "lt-mosa", "wts", "random", "qlearning")
"""Names of `search.algorithms.ALGORITHMS`; the help text must not import that module."""
FAULT_STYLES = ("xfail", "raises", "fail", "off")
EVERY_UNIT = "*"
"""Stands for the units of all searched modules that HTTP does not reach."""
STUB, REFUSE = "stub", "refuse"
SERVICES = (STUB, REFUSE, "real")
FAILURES = ("fault", "unstable", "new-fault")

OPTIONS: tuple[Option, ...] = (
    Option(
        "budget",
        Kind.BUDGET,
        "Search for tests instead of running tests.\n"
        "BUDGET is a time such as 90s, 30m or 1h30m, or a number of evaluations such as 5000x "
        f"(default: {DEFAULT_BUDGET})",
        metavar="BUDGET",
    ),
    Option(
        "app",
        Kind.TEXT,
        "Application to test, as in 'flask --app', for example shop:create_app('testing') "
        "(default: discovered)",
        metavar="MODULE:NAME",
    ),
    Option(
        "url",
        Kind.TEXT,
        "Running server to search from outside, as a black box, for example http://127.0.0.1:5000; "
        "its data will change; beyond loopback also name its host with --evosearch-allow-net",
        metavar="URL",
    ),
    Option(
        "source",
        Kind.LIST,
        "Package to instrument and cover; repeatable "
        "(default: what the application imports from under the root folder)",
        metavar="PKG",
    ),
    Option(
        "units",
        Kind.LIST,
        "Write tests for the functions and classes of this module, without an application and "
        "without HTTP; repeatable; alone: after the search of the application, for what it does "
        "not reach",
        metavar="MODULE[:NAME]",
        bare=EVERY_UNIT,
    ),
    Option(
        "output",
        Kind.PATH,
        "Folder for the written tests "
        "(default: 'evosearch' beside the conftest.py that defines the client)",
        metavar="DIR",
    ),
    Option(
        "algorithm",
        Kind.TEXT,
        f"Search algorithm: {', '.join(ALGORITHMS)} (default: mio)",
        metavar="NAME",
        default="mio",
        choices=ALGORITHMS,
    ),
    Option(
        "level",
        Kind.INTEGER,
        "Instrumentation: 0 none (black box), 1 statements and branches, "
        "2 and comparison distances, 3 and boolean structure, calls and hints (default: 3)",
        metavar="0..3",
        default=HIGHEST_LEVEL,
    ),
    Option(
        "seed",
        Kind.INTEGER,
        "Seed of the random numbers (default: drawn and printed)",
        metavar="N",
    ),
    Option(
        "only",
        Kind.LIST,
        "Endpoints to test: 'GET /api/*', an endpoint's name or a blueprint; a glob; repeatable "
        "(default: all)",
        metavar="PATTERN",
    ),
    Option(
        "skip",
        Kind.LIST,
        "Endpoints to leave out, besides 'static'; like --evosearch-only",
        metavar="PATTERN",
    ),
    Option(
        "schema",
        Kind.PATH_OR_ROUTE,
        "OpenAPI 2 or 3 document: a file, or a route that serves it (default: found)",
        metavar="FILE-or-ROUTE",
    ),
    Option(
        "faults",
        Kind.TEXT,
        f"How tests that show a fault are written: {', '.join(FAULT_STYLES)} (default: xfail)",
        metavar="STYLE",
        default="xfail",
        choices=FAULT_STYLES,
    ),
    Option(
        "oracles",
        Kind.WORDS,
        "What counts as a fault, comma separated: 'default' (what is rarely a false alarm), "
        "'all', or names, for example default,challenge-missing (default: default)",
        metavar="LIST",
        choices=(*GROUPS, *ORACLE_NAMES),
    ),
    Option(
        "fail_on",
        Kind.WORDS,
        f"What makes the exit code 1: {', '.join(FAILURES)}; comma separated (default: nothing)",
        metavar="LIST",
        choices=FAILURES,
    ),
    Option(
        "baseline",
        Kind.PATH,
        "File of known faults, to be committed; --evosearch-fail-on=new-fault compares with it; "
        "the first run writes it (default: the faults of earlier runs in the cache)",
        metavar="FILE",
    ),
    Option(
        "plan",
        Kind.SWITCH,
        "Print what was discovered, who could log in and how the time will be divided, and stop",
        default=False,
    ),
    Option(
        "update",
        Kind.SWITCH,
        "Run the generated tests, update their assertions to the present values and show a diff; "
        "with --evosearch-plan only show the diff",
        default=False,
    ),
    Option(
        "mutants",
        Kind.INTEGER,
        "Measure how strong the written tests are: make this many small changes in the functions "
        "that they run, and count the changes that fail a test; needs mutmut (default: 0)",
        metavar="N",
        default=0,
    ),
    Option(
        "report",
        Kind.PATH,
        "Folder for the reports (default: .pytest_cache/d/evosearch)",
        metavar="DIR",
    ),
    Option(
        "browser",
        Kind.SWITCH,
        "After the search, also visit pages with a real browser, whose scripts show more requests "
        "and errors of their own; needs Playwright and a Chromium",
        default=False,
    ),
    Option(
        "allow_db",
        Kind.SWITCH,
        "Let an application that was found without fixtures use its own database",
        default=False,
    ),
    Option(
        "allow_net",
        Kind.LIST,
        "Host that the application may connect to; repeatable (default: loopback only)",
        metavar="HOST",
    ),
    Option(
        "services",
        Kind.TEXT,
        f"What other services do that the application calls: {', '.join(SERVICES)} "
        "(stub: the search answers for them and the tests contain the answers; real: they are "
        "reached where --evosearch-allow-net permits; default: stub)",
        metavar="WAY",
        default=STUB,
        choices=SERVICES,
    ),
    Option(
        "set",
        Kind.LIST,
        "Any tunable of the search, for example mio.population_size=20; repeatable",
        metavar="NAME=VALUE",
        accumulates=True,
    ),
)


def option_named(name: str) -> Option:
    """Return the row of `OPTIONS` called `name`; raise KeyError when there is none."""
    for option in OPTIONS:
        if option.name == name:
            return option
    raise KeyError(name)


def check_choices(option: Option, value: object) -> None:
    """Raise `InvalidSetting`, with the most similar choice, when `value` is not a choice."""
    if value is None or not option.choices:
        return
    from pytest_evosearch.core.registry import suggestion

    words = [str(word) for word in value] if isinstance(value, list | tuple) else [str(value)]
    for word in words:
        if word not in option.choices:
            raise InvalidSetting(
                f"{word!r} is not a value of {option.flag}"
                f"{suggestion(word, option.choices)} (known: {', '.join(option.choices)})"
            )
