"""Every option, in one declarative table, and the frozen `Settings` made of it.

Knows nothing of pytest: `bridge.options` turns the table into command-line options and
ini keys, and hands back plain values.

    OPTIONS, TUNABLES -> bridge.options (pytest) -> plain values -> build_settings -> Settings

The table is read in every pytest run of everybody who has the plugin installed, so this
module imports next to nothing, and what only a search needs inside functions.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from typing import NamedTuple

from pytest_evosearch.errors import InvalidSetting

if TYPE_CHECKING:
    from pytest_evosearch.core.budget import Budget

DEFAULT_BUDGET = "10m"
"""Budget of a bare ``--evosearch``."""

HIGHEST_LEVEL = 3
"""0 black box, 1 statements, 2 and comparison distances, 3 and boolean structure, calls, hints."""


class Kind(Enum):
    """What sort of value an option takes."""

    BUDGET = "budget"
    TEXT = "text"
    INTEGER = "integer"
    SWITCH = "switch"
    LIST = "list"
    """Repeatable."""
    WORDS = "words"
    """Repeatable, and commas separate too."""
    PATH = "path"
    """Relative to the invocation folder, or to the ini file."""
    PATH_OR_ROUTE = "path or route"
    """A file if there is one, else text."""


class Option(NamedTuple):
    """One option: a command-line flag and the ini key of the same name."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None
    default: object = None
    choices: tuple[str, ...] = ()
    """The only words that make sense; empty for anything."""
    accumulates: bool = False
    """The command line adds to the ini file instead of replacing it."""

    @property
    def flag(self) -> str:
        """``--evosearch-allow-db``; the budget's flag is the bare ``--evosearch``."""
        if self.kind is Kind.BUDGET:
            return "--evosearch"
        return f"--evosearch-{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """The ini key, and the attribute of pytest's option namespace: ``evosearch_allow_db``."""
        return self.flag.lstrip("-").replace("-", "_")


ALGORITHMS = ("mio", "mosa", "dynamosa", "lt-mosa", "wts", "random", "qlearning")
"""Names of `search.algorithms.ALGORITHMS`, here because the help text must not import them."""
ORACLE_NAMES = (
    "server-error",
    "response-schema",
    "delete-ineffective",
    "location-unresolvable",
    "body-forbidden",
    "allow-missing",
    "traceback-leak",
    "sql-leak",
    "secret-leak",
    "script-injection",
    "sql-injection",
    "path-traversal",
    "request-forgery",
    "object-authorization",
    "function-authorization",
    "anonymous-write",
    "mass-assignment",
    "slow-path",
    "update-ineffective",
    "put-not-idempotent",
    "put-not-replacing",
    "get-changes-state",
    "failed-write",
    "invalid-accepted",
    "valid-refused",
    "long-sleep",
    "existence-leak",
    "challenge-missing",
    "status-unknown",
    "status-undeclared",
)
"""Names of `oracles.registry.ORACLES`, here for the same reason; docs/oracles.md explains them."""
ORACLE_GROUPS = ("default", "all")
FAULT_STYLES = ("xfail", "raises", "fail", "off")
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
        "What counts as a fault, comma separated: 'default' (what is hardly ever a false alarm), "
        "'all', or names, for example default,challenge-missing (default: default)",
        metavar="LIST",
        choices=(*ORACLE_GROUPS, *ORACLE_NAMES),
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
        "File of known faults, to be committed; --evosearch-fail-on=new-fault compares with it, "
        "and a run that does not find it writes it (default: what earlier runs left in the cache)",
        metavar="FILE",
    ),
    Option("plan", Kind.SWITCH, "Print what was discovered and stop", default=False),
    Option(
        "update",
        Kind.SWITCH,
        "Run the generated tests and give their assertions the values of today, showing a diff; "
        "with --evosearch-plan the diff alone",
        default=False,
    ),
    Option(
        "mutants",
        Kind.INTEGER,
        "Measure how strong the written tests are: try them on this many small changes of the "
        "functions that they run, and count those that fail a test; needs mutmut (default: 0)",
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
        "set",
        Kind.LIST,
        "Any tunable of the search, for example mio.population_size=20; repeatable",
        metavar="NAME=VALUE",
        accumulates=True,
    ),
)


class Tunable(NamedTuple):
    """One research parameter, changed by ``--evosearch-set NAME=VALUE``."""

    default: int | float | str
    """Its type is the type of every value."""
    help: str = ""
    minimum: float = 0.0
    choices: tuple[str, ...] = ()
    """The texts that are allowed; () for any."""

    def parse(self, name: str, text: str) -> int | float | str:
        """Read `text`; raise `InvalidSetting` when it has not the right type or range."""
        if isinstance(self.default, str):
            if self.choices and text not in self.choices:
                raise InvalidSetting(
                    f"tunable {name!r} takes one of {', '.join(self.choices)}, not {text!r}"
                    f"{_suggestion(text, self.choices)} (--evosearch-set {name}={self.default})"
                )
            return text
        try:
            value = type(self.default)(text)
        except ValueError:
            value = float("nan")
        if not value >= self.minimum or value == float("inf"):
            expected = "a whole number" if isinstance(self.default, int) else "a number"
            raise InvalidSetting(
                f"tunable {name!r} takes {expected} of at least {self.minimum:g}, not {text!r} "
                f"(--evosearch-set {name}={self.default})"
            )
        return value


TUNABLES: Mapping[str, Tunable] = MappingProxyType(
    {
        "test.max_calls": Tunable(10, "calls in one test at most", minimum=1),
        "request.timeout": Tunable(5.0, "seconds that one request may take", minimum=0.01),
        "state.fork": Tunable(
            "auto",
            "run each test in a forked process: where nothing else brings the state back, "
            "always, or never",
            choices=("auto", "always", "never"),
        ),
        "minimize.evaluations": Tunable(200, "executions spent on minimising one test"),
        "inquiry.evaluations": Tunable(
            1000, "executions after the search that ask what oracles can judge; 0 for none"
        ),
    }
)
"""Tunables that no algorithm owns: name to default and meaning; this is where to add one.

Those of an algorithm are the fields of its parameters (``mio.population_size``); whoever
builds settings adds them, see `build_settings`.
"""


@dataclass(frozen=True)
class Settings:
    """Everything that the user decided, checked and typed."""

    budget: Budget
    seed: int
    rootdir: Path
    app: str | None = None
    """``module:name``, as in ``flask --app``; None to discover."""
    url: str | None = None
    """A running server in the place of an application, ``http://127.0.0.1:5000``."""
    source: tuple[str, ...] = ()
    """Packages to instrument; empty for everything under `rootdir` that the app imports."""
    output: Path | None = None
    """Folder for the written modules; None for the default beside the client's conftest."""
    algorithm: str = "mio"
    level: int = 3
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ("static",)
    schema: str | None = None
    faults: str = "xfail"
    oracles: tuple[str, ...] = ("default",)
    fail_on: frozenset[str] = frozenset()
    baseline: Path | None = None
    plan: bool = False
    mutants: int = 0
    """How many mutants to try the written tests on; 0 for none."""
    update: bool = False
    report: Path | None = None
    allow_db: bool = False
    allow_net: tuple[str, ...] = ()
    tunables: Mapping[str, str] = field(default_factory=dict)
    """From ``--evosearch-set NAME=VALUE``, raw text; checked names, see `TUNABLES`."""
    command: str = "pytest --evosearch"
    """The command that regenerates, for headers; without seed and folders, so that it is stable."""
    maximum_faults: int = 0
    """From ``-x``/``--maxfail``: stop at the n-th fault; 0 for never."""
    islands: int = 1
    """Searches at the same time, each in a process of its own (``-n`` of pytest-xdist)."""
    island: int = 0
    """Which of them this is; 0 writes the tests."""
    reproduce: str = ""
    """The whole command with seed and folders, for the ``reproduce:`` line."""

    def tunable(self, name: str) -> int | float | str:
        """Return the value of the tunable `name` of `TUNABLES`, or its default."""
        tunable = TUNABLES[name]
        given = self.tunables.get(name)
        return tunable.default if given is None else tunable.parse(name, given)


def option_named(name: str) -> Option:
    """Return the row of `OPTIONS` called `name`; raise KeyError when there is none."""
    for option in OPTIONS:
        if option.name == name:
            return option
    raise KeyError(name)


def build_settings(
    values: Mapping[str, object],
    *,
    rootdir: Path,
    seed: int,
    command: str = "pytest --evosearch",
    reproduce: str = "",
    maximum_faults: int = 0,
    tunables: Mapping[str, Tunable] = TUNABLES,
    unchecked: Collection[str] = (),
) -> Settings:
    """Check plain `values` (option name to value, None for the default) and type them.

    `seed` is used when the values name none; `tunables` are all that ``--evosearch-set`` may
    name.  The choices of options in `unchecked` are somebody else's to check, with `check_choices`.
    Raises `InvalidSetting`, one line long.
    """
    from pytest_evosearch.core.budget import Budget

    given = {name: value for name, value in values.items() if value is not None}
    for option in OPTIONS:
        if option.name not in unchecked:
            check_choices(option, given.get(option.name))
    return Settings(
        budget=Budget.parse(str(given.get("budget") or DEFAULT_BUDGET)),
        seed=_checked_seed(given.get("seed", seed)),
        rootdir=rootdir,
        app=_text(given, "app"),
        url=_checked_url(_text(given, "url")),
        source=_texts(given, "source"),
        output=_path(given, "output"),
        algorithm=str(given.get("algorithm", "mio")),
        level=_checked_level(given.get("level", HIGHEST_LEVEL)),
        only=_texts(given, "only"),
        skip=_skipped(_texts(given, "skip")),
        schema=_text(given, "schema"),
        faults=str(given.get("faults", "xfail")),
        oracles=_texts(given, "oracles") or ("default",),
        fail_on=frozenset(_texts(given, "fail_on")),
        baseline=_path(given, "baseline"),
        plan=bool(given.get("plan", False)),
        mutants=_checked_mutants(given.get("mutants", 0)),
        update=bool(given.get("update", False)),
        report=_path(given, "report"),
        allow_db=bool(given.get("allow_db", False)),
        allow_net=_texts(given, "allow_net"),
        tunables=parse_tunables(_texts(given, "set"), tunables),
        command=command,
        maximum_faults=maximum_faults,
        reproduce=reproduce or command,
    )


def parse_tunables(
    assignments: Sequence[str], known: Mapping[str, Tunable] = TUNABLES
) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts, the last of a name winning; raise `InvalidSetting`."""
    tunables: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise InvalidSetting(
                f"{assignment!r} is no assignment: write --evosearch-set NAME=VALUE"
            )
        if name not in known:
            raise InvalidSetting(
                f"unknown tunable {name!r}{_suggestion(name, known)} (known: {', '.join(known)})"
            )
        known[name].parse(name, value)
        tunables[name] = value
    return tunables


def check_choices(option: Option, value: object) -> None:
    """Raise `InvalidSetting`, with the nearest choice, when `value` is none of the option's."""
    if value is None or not option.choices:
        return
    words = [str(word) for word in value] if isinstance(value, list | tuple) else [str(value)]
    for word in words:
        if word not in option.choices:
            raise InvalidSetting(
                f"{word!r} is not a value of {option.flag}"
                f"{_suggestion(word, option.choices)} (known: {', '.join(option.choices)})"
            )


def _suggestion(name: str, known: Iterable[str]) -> str:
    from pytest_evosearch.core.registry import suggestion

    return suggestion(name, known)


def _checked_level(value: object) -> int:
    level = _whole_number("level", value)
    if not 0 <= level <= HIGHEST_LEVEL:
        raise InvalidSetting(
            f"there is no instrumentation level {level}: "
            f"write --evosearch-level=0 to --evosearch-level={HIGHEST_LEVEL}"
        )
    return level


def _checked_url(url: str | None) -> str | None:
    """Return the address of a server without a slash at its end."""
    if url is None:
        return None
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        plain = False
    if not plain or parts.path.strip("/") or parts.query or parts.fragment:
        raise InvalidSetting(
            f"--evosearch-url={url} is no address of a server, without a path: "
            "write --evosearch-url=http://127.0.0.1:5000"
        )
    if "@" in parts.netloc:
        raise InvalidSetting(
            f"--evosearch-url: no password in the address of {parts.hostname}, it would be written "
            "into the tests: give a fixture evosearch_users"
        )
    return url.rstrip("/")


def _checked_mutants(value: object) -> int:
    number = _whole_number("mutants", value)
    if number < 0:
        raise InvalidSetting(f"--evosearch-mutants takes a number of at least 0, not {number}")
    return number


def _checked_seed(value: object) -> int:
    return _whole_number("seed", value)


def _whole_number(name: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        flag = option_named(name).flag
        raise InvalidSetting(f"{flag} takes a whole number, not {value!r}") from None


def _skipped(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Add the user's patterns to the default; an empty pattern takes the default away."""
    default: tuple[str, ...] = () if "" in patterns else ("static",)
    return (*default, *(pattern for pattern in patterns if pattern and pattern not in default))


def _text(given: Mapping[str, object], name: str) -> str | None:
    value = str(given.get(name, "")).strip()
    return value or None


def _texts(given: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = given.get(name, ())
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else (str(value),)


def _path(given: Mapping[str, object], name: str) -> Path | None:
    value = given.get(name)
    return None if value is None else Path(str(value))
