"""From the table of options to pytest's command line and ini keys, and back to `Settings`.

Only `value_of` decides precedence: command line, ini file, default.  A value that was not given is
None on the command line and empty in the ini file.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.command_line.project_root import project_root
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.checked import build_settings
from pytest_evosearch.settings.options import ALGORITHMS
from pytest_evosearch.settings.options import DEFAULT_BUDGET
from pytest_evosearch.settings.options import OPTIONS
from pytest_evosearch.settings.options import Kind
from pytest_evosearch.settings.options import Option
from pytest_evosearch.settings.options import option_named
from pytest_evosearch.settings.tunables import TUNABLES
from pytest_evosearch.settings.tunables import Tunable

VERIFYING = "EVOSEARCH_VERIFYING"
"""Variable that `write.verification.pytest_process` sets for the runs of pytest that it starts."""

BARE = ""
"""Value of ``--evosearch`` without a budget: the ini file's budget counts, or the default."""

MISSING = "\0"
"""Value of an option that was given without a value."""

_MAY_BE_EMPTY = ("budget", "skip")

TYPED_INI_KEYS = (8, 4)
"""First version of pytest whose ini keys may be numbers; older ones have texts."""

_FOLDERS = ("output", "report")
_REPEATED = (Kind.LIST, Kind.WORDS)


class MisplacedPath(str):
    """A path that ``nargs="?"`` took for a budget: ``pytest --evosearch tests/``."""

    __slots__ = ()


def add_options(parser: pytest.Parser) -> None:
    """Register every row of `OPTIONS` as a command-line option and as an ini key."""
    group = parser.getgroup("evosearch", "search-based test generation for Flask")
    for option in OPTIONS:
        group.addoption(option.flag, dest=option.key, help=option.help, **_arguments(option))
        parser.addini(option.key, _ini_help(option), type=_ini_type(option), default=None)


def is_requested(namespace: argparse.Namespace) -> bool:
    """Say whether the command line asks for a search, or for its plan.

    Return False in runs that verify or measure written tests, because a project may have the option
    in its ``addopts``.
    """
    if os.environ.get(VERIFYING):
        return False
    if is_update(namespace):
        return False
    return _on_command_line(namespace, "budget") is not None or bool(
        _on_command_line(namespace, "plan")
    )


def is_update(namespace: argparse.Namespace) -> bool:
    """Say whether the command line asks for an update of the generated tests."""
    return not os.environ.get(VERIFYING) and bool(_on_command_line(namespace, "update"))


def return_misplaced_path(config: pytest.Config, args: list[str]) -> None:
    """Move a path that was read as the budget back to the arguments.

    `args` is pytest's own list, which is parsed once more after this.  The namespace is what pytest
    uses to load conftests before that.  `make_settings` refuses what cannot be moved: before pytest
    8 an exception in this early hook makes pluggy warn.
    """
    namespace = config.known_args_namespace
    key = option_named("budget").key
    path = getattr(namespace, key, None)
    if not isinstance(path, MisplacedPath):
        return
    for index, argument in enumerate(args[:-1]):
        if argument == "--evosearch" and args[index + 1] == path:
            args[index] = f"--evosearch={BARE}"
            setattr(namespace, key, BARE)
            namespace.file_or_dir = [str(path), *namespace.file_or_dir]
            return


def value_of(config: pytest.Config, namespace: argparse.Namespace, option: Option) -> object:
    """Return the value of one option, or None for its default.

    Raise `pytest.UsageError` when the ini file has a value that the option cannot take.
    """
    given = _on_command_line(namespace, option.name)
    if given is not None and given != BARE and not option.accumulates:
        return _resolved(option, given, config.invocation_params.dir)
    written = ini_value(config, option)
    if given is None or given == BARE:
        return None if written is None else _resolved(option, written, _ini_folder(config))
    return [*_as_list(written), *_as_list(given)]


def ini_value(config: pytest.Config, option: Option) -> object:
    """Return the value in the ini file, None without one; report a wrong value with its key."""
    try:
        value = config.getini(option.key)
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(
            f"evosearch: {option.key} in {_ini_name(config)} cannot be used: {error}"
        ) from None
    return None if value in (None, "", []) else value


def make_settings(config: pytest.Config) -> Settings:
    """Read, check and freeze every option; raise `pytest.UsageError` with one line."""
    path = _on_command_line(config.option, "budget")
    if isinstance(path, MisplacedPath):
        raise pytest.UsageError(
            f"evosearch: '{path}' is a path, not a budget: write --evosearch=30m {path}"
        )
    if is_update(config.option) and _on_command_line(config.option, "budget") is not None:
        raise pytest.UsageError(
            "evosearch: --evosearch-update refreshes existing tests and searches nothing: "
            "leave out --evosearch, or --evosearch-update"
        )
    from pytest_evosearch.bridge.command_line.loading_options import loaded_plugins
    from pytest_evosearch.bridge.command_line.named_places import check_places
    from pytest_evosearch.core.randomness import draw_seed

    _refuse_missing_values(config.option)
    values = {option.name: value_of(config, config.option, option) for option in OPTIONS}
    values["lists_endpoints"] = bool(config.option.collectonly)
    values["plan"] = bool(values["plan"]) or values["lists_endpoints"]
    is_open = bool(config.hook.pytest_evosearch_make_algorithm.get_hookimpls())
    seed = draw_seed()
    try:
        settings = build_settings(
            values,
            rootdir=project_root(config),
            seed=seed,
            command=command_line(config, values),
            reproduce=command_line(config, values, seed=values["seed"] or seed),
            arguments=_arguments_of_verification(config),
            maximum_faults=config.getoption("maxfail", 0) or 0,
            tunables=_tunables_for(values, is_open),
            unchecked=("algorithm",) if is_open else (),
        )
    except EvosearchUsageError as error:
        raise pytest.UsageError(f"evosearch: {error}{_origin_of(config, values)}") from None
    _check_source_names(settings)
    check_places(settings)
    # Not at the left margin: an idle run of pytest imports this module.
    from pytest_evosearch.bridge.command_line.command_start import VARIABLES

    variables = config.stash.get(VARIABLES, None)
    line = replace(settings.command_line, plugins=loaded_plugins(config), variables=variables)
    return replace(settings, command_line=line)


def _refuse_missing_values(namespace: argparse.Namespace) -> None:
    for option in OPTIONS:
        for value in _as_list(_on_command_line(namespace, option.name)):
            is_empty = isinstance(value, str) and not value.strip(" ,")
            if value == MISSING or (is_empty and option.name not in _MAY_BE_EMPTY):
                raise pytest.UsageError(
                    f"evosearch: {option.flag} needs a value: "
                    f"write {option.flag}={option.metavar}, or leave it out"
                )


def with_islands(settings: Settings, workers: int) -> Settings:
    """Search in as many processes as pytest-xdist was given workers; 0 means one.

    A running server is searched by one process, because several would disturb one another.
    """
    if workers < 2 or settings.application.url is not None:
        return settings
    line = settings.command_line
    return replace(
        settings,
        search=replace(settings.search, islands=workers),
        command_line=replace(line, reproduce=f"{line.reproduce} -n {workers}"),
    )


def with_report_folder(config: pytest.Config, settings: Settings) -> Settings:
    """Put reports into pytest's cache folder by default; without a cache change nothing."""
    cache = getattr(config, "cache", None)
    if settings.reports.report is not None or settings.plan or cache is None:
        return settings
    try:
        reports = replace(settings.reports, report=Path(cache.mkdir("evosearch")))
        return replace(settings, reports=reports)
    except OSError:  # a read-only project: the search may still write elsewhere
        return settings


def _tunables_for(values: dict[str, object], is_open: bool) -> Mapping[str, Tunable]:
    """Return the tunables that `values` may set; load those of algorithms only where any is set."""
    if not values["set"]:
        return TUNABLES
    return {**known_tunables(), **(_tunables_of_project(values) if is_open else {})}


def known_tunables() -> dict[str, Tunable]:
    """Return every tunable: the table, and the parameters of each algorithm and selector."""
    from pytest_evosearch.search.algorithms import tunables_of
    from pytest_evosearch.search.selecting.selectors import selector_tunables

    return {
        **TUNABLES,
        **selector_tunables(),
        **{
            f"{algorithm}.{name}": tunable
            for algorithm in ALGORITHMS
            for name, tunable in tunables_of(algorithm).items()
        },
    }


def _tunables_of_project(values: dict[str, object]) -> dict[str, Tunable]:
    """Return what is set for a project's own algorithm, whose parameters check it later."""
    algorithm = str(values["algorithm"])
    if algorithm in ALGORITHMS:
        return {}
    names = (str(each).partition("=")[0].strip() for each in _as_list(values["set"]))
    return {name: Tunable("") for name in names if name.startswith(f"{algorithm}.")}


def command_line(config: pytest.Config, values: dict[str, object], seed: object = None) -> str:
    """Return the command that runs the same search; with a `seed`, in the same folders, too.

    Without a seed the text is equal for two runs of one search.  So the header of a written module
    stays unchanged.
    """
    from pytest_evosearch.bridge.command_line.loading_options import loading_arguments
    from pytest_evosearch.bridge.command_line.own_options import own_arguments

    words = ["pytest", *loading_arguments(config)]
    for option in OPTIONS:
        if option.name in ("seed", "plan", "update", "fail_on") or (
            option.name in _FOLDERS and seed is None
        ):
            continue
        words += _as_arguments(option, values.get(option.name), config)
    if seed is not None:
        words.append(f"--evosearch-seed={seed}")
    words += own_arguments(config)
    words += [str(path) for path in config.option.file_or_dir]
    return shlex.join(words)


def _arguments_of_verification(config: pytest.Config) -> tuple[str, ...]:
    # Imported here because only a search needs it.
    from pytest_evosearch.bridge.command_line.loading_options import verification_arguments
    from pytest_evosearch.bridge.command_line.own_options import own_arguments

    return (*verification_arguments(config), *own_arguments(config))


def _as_arguments(option: Option, value: object, config: pytest.Config) -> list[str]:
    if option.kind is Kind.BUDGET:
        return [f"{option.flag}={value or DEFAULT_BUDGET}"]
    if value is None or _on_command_line(config.option, option.name) is None:
        return []
    if option.kind is Kind.SWITCH:
        return [option.flag] if value else []
    items = _as_list(_on_command_line(config.option, option.name))
    return [f"{option.flag}={item}" for item in items]


def _arguments(option: Option) -> dict[str, Any]:
    if option.kind is Kind.SWITCH:
        return {"action": "store_true", "default": None}
    arguments: dict[str, Any] = {"metavar": option.metavar, "default": None}
    if option.kind is Kind.BUDGET:
        return {**arguments, "nargs": "?", "const": BARE, "type": _budget_argument}
    # `make_settings` refuses a missing value.
    arguments |= {"nargs": "?", "const": option.bare or MISSING}
    if option.kind in _REPEATED:
        return {**arguments, "action": "append"}
    return arguments


def _budget_argument(text: str) -> str:
    """Return a budget, or an existing path, which is moved to the arguments later.

    `make_settings` refuses any other text, because the parser of options would print pytest's
    usage.
    """
    from pytest_evosearch.core.budget import Budget

    if text == BARE:
        return text
    try:
        Budget.parse(text)
    except InvalidSetting:
        if Path(text.split("::")[0]).exists():
            return MisplacedPath(text)
    return text


def _ini_help(option: Option) -> str:
    if option.kind is Kind.BUDGET:
        return f"Budget of a bare --evosearch (default: {DEFAULT_BUDGET})"
    return option.help


def _ini_type(option: Option) -> Any:
    if option.kind is Kind.SWITCH:
        return "bool"
    if option.kind in _REPEATED:
        return "linelist"
    version: tuple[Any, ...] = getattr(pytest, "version_tuple", ())
    if option.kind is Kind.INTEGER and version[:2] >= TYPED_INI_KEYS:
        return "int"
    return "string" if version else None  # a text, for pytest before 7


def _on_command_line(namespace: argparse.Namespace, name: str) -> Any:
    return getattr(namespace, option_named(name).key, None)


def _resolved(option: Option, value: object, folder: Path) -> object:
    if option.kind is Kind.PATH:
        return folder / _at_home(option, str(value))
    if option.kind is Kind.PATH_OR_ROUTE:
        path = folder / _at_home(option, str(value))
        return str(path) if path.is_file() else value
    if option.kind is Kind.WORDS:
        words = ",".join(str(item) for item in _as_list(value)).split(",")
        return [word.strip() for word in words if word.strip()]
    return value


def _at_home(option: Option, text: str) -> Path:
    """Return a path with ``~`` replaced; a shell does not replace it after ``=``."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise pytest.UsageError(
            f"evosearch: {option.flag}={text}: there is no such user; write ./{text} for a folder "
            "of that name"
        ) from None


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _ini_folder(config: pytest.Config) -> Path:
    return config.inipath.parent if config.inipath else config.invocation_params.dir


def _ini_name(config: pytest.Config) -> str:
    return config.inipath.name if config.inipath else "the configuration"


def _origin_of(config: pytest.Config, values: dict[str, object]) -> str:
    """Return a text that names the values from the ini file; empty when there are none."""
    from_file = [
        option.key
        for option in OPTIONS
        if values.get(option.name) is not None
        and _on_command_line(config.option, option.name) in (None, BARE)
        and ini_value(config, option) is not None
    ]
    return f" ({_ini_name(config)} sets {', '.join(from_file)})" if from_file else ""


def _check_source_names(settings: Settings) -> None:
    for package in settings.application.source:
        if not all(part.isidentifier() for part in package.split(".")):
            raise pytest.UsageError(
                f"evosearch: {package!r} is not the name of a package: "
                "write --evosearch-source=shop (a dotted name, not a path)"
            )
