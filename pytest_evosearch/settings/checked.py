"""The frozen `Settings`, built from plain values that are checked one by one."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.settings.options import DEFAULT_BUDGET
from pytest_evosearch.settings.options import EVERY_UNIT
from pytest_evosearch.settings.options import HIGHEST_LEVEL
from pytest_evosearch.settings.options import OPTIONS
from pytest_evosearch.settings.options import STUB
from pytest_evosearch.settings.options import check_choices
from pytest_evosearch.settings.options import option_named
from pytest_evosearch.settings.oracle_specs import PAGE_NAMES
from pytest_evosearch.settings.tunables import TUNABLES
from pytest_evosearch.settings.tunables import Tunable
from pytest_evosearch.settings.tunables import parse_tunables

if TYPE_CHECKING:
    from pytest_evosearch.core.budget import Budget


@dataclass(frozen=True)
class ApplicationSettings:
    """Where the application comes from, which part of it is searched, and what it may do."""

    app: str | None = None
    """``module:name``, as in ``flask --app``; None to discover."""
    url: str | None = None
    """Address of a running server to search instead of an application; None without one."""
    source: tuple[str, ...] = ()
    """Packages to instrument; empty for all the application imports from below the root."""
    units: tuple[str, ...] = ()
    """Modules, or ``MODULE:NAME``, that are called without HTTP; empty for an application.

    `EVERY_UNIT` stands for what the search of the application does not reach.
    """
    schema: str | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ("static",)
    allow_db: bool = False
    allow_net: tuple[str, ...] = ()
    services: str = STUB
    """Whether the search answers for other services: one of `options.SERVICES`."""

    @property
    def calls_units_alone(self) -> bool:
        """Say whether units are called, and no application."""
        return bool(self.units) and not self.adds_units

    @property
    def adds_units(self) -> bool:
        """Say whether units are called after the search of an application."""
        return EVERY_UNIT in self.units


@dataclass(frozen=True)
class SearchSettings:
    """What is searched, for how long, and by how many processes."""

    level: int = 3
    oracles: tuple[str, ...] = ("default",)
    maximum_faults: int = 0
    """Number of faults after which the search stops (``-x``, ``--maxfail``); 0 for no limit."""
    islands: int = 1
    """Number of searches that run at once, each in its own process (``-n`` of pytest-xdist)."""
    island: int = 0
    """Number of this search among them; search 0 writes the tests."""
    browser: bool = False
    """Whether pages are visited with a real browser after the search."""


@dataclass(frozen=True)
class SuiteSettings:
    """Where the tests are written, and how."""

    output: Path | None = None
    """Folder for the written modules; None for the default beside the client's conftest."""
    faults: str = "xfail"
    mutants: int = 0
    """Number of mutants on which the written tests are tried; 0 for none."""


@dataclass(frozen=True)
class ReportSettings:
    """What is reported and where, and what fails the run."""

    report: Path | None = None
    fail_on: frozenset[str] = frozenset()
    baseline: Path | None = None
    lists_endpoints: bool = False
    """Whether the plan lists the endpoints, and sends nothing to find out about users."""


@dataclass(frozen=True)
class CommandSettings:
    """The command line, as written files and the summary show it."""

    command: str = "pytest --evosearch"
    """The command for headers of written files; without seed and folders, so it stays the same."""
    arguments: tuple[str, ...] = ()
    """Words of the command line for the project's own tests; verification needs them."""
    reproduce: str = ""
    """The whole command with seed and folders, for the ``reproduce:`` line."""
    plugins: frozenset[str] | None = None
    """Modules of the pytest plugins that the session has loaded; None where this is not known."""
    variables: Mapping[str, str] | None = None
    """The environment when the command began; None where it is that of this process."""


@dataclass(frozen=True)
class Settings:
    """Everything that the user decided, checked and typed."""

    budget: Budget
    seed: int
    rootdir: Path
    algorithm: str = "mio"
    plan: bool = False
    """Whether only the plan is printed."""
    update: bool = False
    """Whether the tests of an earlier run are updated instead of a search."""
    tunables: Mapping[str, str] = field(default_factory=dict)
    """Raw texts of ``--evosearch-set NAME=VALUE``, by checked names; see `TUNABLES`."""
    application: ApplicationSettings = ApplicationSettings()
    search: SearchSettings = SearchSettings()
    suite: SuiteSettings = SuiteSettings()
    reports: ReportSettings = ReportSettings()
    command_line: CommandSettings = CommandSettings()

    def tunable(self, name: str) -> int | float | str:
        """Return the value of the tunable `name`, or its default."""
        tunable = TUNABLES[name]
        given = self.tunables.get(name)
        return tunable.default if given is None else tunable.parse(name, given)


def build_settings(
    values: Mapping[str, object],
    *,
    rootdir: Path,
    seed: int,
    command: str = "pytest --evosearch",
    reproduce: str = "",
    arguments: Sequence[str] = (),
    maximum_faults: int = 0,
    tunables: Mapping[str, Tunable] = TUNABLES,
    unchecked: Collection[str] = (),
) -> Settings:
    """Check plain `values` (option name to value, None for the default) and type them.

    `seed` is used where `values` has no seed.  ``--evosearch-set`` may name `tunables` only.
    `check_choices` checks the choices of `unchecked` options elsewhere.  Raise `InvalidSetting`,
    with a message of one line, for a value that is wrong.
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
        algorithm=str(given.get("algorithm", "mio")),
        plan=bool(given.get("plan", False)),
        update=bool(given.get("update", False)),
        tunables=parse_tunables(_texts(given, "set"), tunables),
        application=_application_settings(given),
        search=_search_settings(given, maximum_faults),
        suite=SuiteSettings(
            output=_path(given, "output"),
            faults=str(given.get("faults", "xfail")),
            mutants=_checked_mutants(given.get("mutants", 0)),
        ),
        reports=_report_settings(given),
        command_line=CommandSettings(command, tuple(arguments), reproduce or command),
    )


def _search_settings(given: Mapping[str, object], maximum_faults: int) -> SearchSettings:
    return SearchSettings(
        level=_checked_level(given.get("level", HIGHEST_LEVEL)),
        oracles=_texts(given, "oracles") or ("default",),
        maximum_faults=maximum_faults,
        browser=_checked_browser(given),
    )


def _report_settings(given: Mapping[str, object]) -> ReportSettings:
    return ReportSettings(
        report=_path(given, "report"),
        fail_on=frozenset(_texts(given, "fail_on")),
        baseline=_path(given, "baseline"),
        lists_endpoints=bool(given.get("lists_endpoints", False)),
    )


def _application_settings(given: Mapping[str, object]) -> ApplicationSettings:
    return ApplicationSettings(
        app=_text(given, "app"),
        url=_checked_url(_text(given, "url")),
        source=_texts(given, "source"),
        units=_checked_units(_texts(given, "units")),
        schema=_text(given, "schema"),
        only=_texts(given, "only"),
        skip=_skipped(_texts(given, "skip")),
        allow_db=bool(given.get("allow_db", False)),
        allow_net=_checked_hosts(_texts(given, "allow_net")),
        services=str(given.get("services", STUB)),
    )


def _checked_units(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in (one for one in names if one != EVERY_UNIT):
        module, colon, inside = name.partition(":")
        parts = [*module.split("."), *(inside.split(".") if colon else ())]
        if not all(part.isidentifier() for part in parts):
            raise InvalidSetting(
                f"--evosearch-units={name} names no module: write --evosearch-units=shop.prices "
                "or --evosearch-units=shop.prices:discount (dotted names, no paths)"
            )
    return names


def _checked_level(value: object) -> int:
    level = _whole_number("level", value)
    if not 0 <= level <= HIGHEST_LEVEL:
        raise InvalidSetting(
            f"there is no instrumentation level {level}: "
            f"write --evosearch-level=0 to --evosearch-level={HIGHEST_LEVEL}"
        )
    return level


def _checked_url(url: str | None) -> str | None:
    """Return the address of a server without a slash at its end.

    Raise `InvalidSetting` for a text that is no address.
    """
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
            f"--evosearch-url={url} is not the address of a server: "
            "write --evosearch-url=http://127.0.0.1:5000, without a path"
        )
    if "@" in parts.netloc:
        raise InvalidSetting(
            f"--evosearch-url: no password in the address of {parts.hostname}, "
            "because the tests would contain it:  give a fixture evosearch_users"
        )
    return url.rstrip("/")


def _checked_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    for host in hosts:
        if not host.strip() or "/" in host or any(one.isspace() for one in host):
            raise InvalidSetting(
                f"{host!r} is not the name of a host: write --evosearch-allow-net=api.example.com, "
                "without http:// and without a path"
            )
    return hosts


def _checked_browser(given: Mapping[str, object]) -> bool:
    wanted = bool(given.get("browser", False))
    if wanted and given.get("url") is not None:
        raise InvalidSetting(
            "--evosearch-browser cannot be used with --evosearch-url: the browser visits an "
            "application in the process of the search; name it with --evosearch-app"
        )
    asked = {*PAGE_NAMES} & {*_texts(given, "oracles")}
    if asked and not wanted:
        raise InvalidSetting(
            f"--evosearch-oracles={min(asked)} is what a browser shows: add --evosearch-browser"
        )
    return wanted


MOST_MUTANTS = 1_000_000


def _checked_mutants(value: object) -> int:
    number = _whole_number("mutants", value)
    if not 0 <= number <= MOST_MUTANTS:
        raise InvalidSetting(
            f"--evosearch-mutants takes a whole number from 0 to {MOST_MUTANTS}, not {number}"
        )
    return number


def _checked_seed(value: object) -> int:
    """Return a seed; refuse a negative one, which gives the numbers of the positive one."""
    seed = _whole_number("seed", value)
    if seed < 0:
        raise InvalidSetting(f"--evosearch-seed takes a whole number of at least 0, not {seed}")
    return seed


def _whole_number(name: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        flag = option_named(name).flag
        raise InvalidSetting(f"{flag} takes a whole number, not {value!r:.40}") from None


def _skipped(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Add the user's patterns to the default pattern; an empty pattern removes the default."""
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
