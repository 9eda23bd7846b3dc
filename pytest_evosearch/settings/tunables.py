"""Research parameters: which values each may have, and how ``--evosearch-set`` is read.

Each parameter has a range, so a value outside it is refused before anything runs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any
from typing import NamedTuple

from pytest_evosearch.errors import InvalidSetting

_SWITCH = {"true": True, "false": False}


class Tunable(NamedTuple):
    """One research parameter, changed with ``--evosearch-set NAME=VALUE``."""

    default: int | float | str
    """The default; every value has its type."""
    help: str = ""
    minimum: float = 0.0
    maximum: float = math.inf
    """The largest value that makes sense."""
    choices: tuple[str, ...] = ()
    """The allowed texts; () where any text is allowed."""

    def parse(self, name: str, text: str) -> int | float | str:
        """Read `text`; raise `InvalidSetting` when its type or range is wrong."""
        if isinstance(self.default, str):
            if self.choices and text not in self.choices:
                raise InvalidSetting(
                    f"tunable {name!r} takes one of {', '.join(self.choices)}, not {text!r}"
                    f"{_suggestion(text, self.choices)} (--evosearch-set {name}={self.default})"
                )
            return text
        if isinstance(self.default, bool):
            return self._switched(name, text)
        try:
            value = type(self.default)(text)
        except ValueError:
            value = float("nan")
        if not self.minimum <= value <= self.maximum or math.isinf(value):
            raise InvalidSetting(
                f"tunable {name!r} takes {self._expected}, not {text!r:.40} "
                f"(--evosearch-set {name}={self.default})"
            )
        return value

    def _switched(self, name: str, text: str) -> bool:
        if text.lower() not in _SWITCH:
            raise InvalidSetting(
                f"tunable {name!r} takes true or false, not {text!r:.40} "
                f"(--evosearch-set {name}={str(self.default).lower()})"
            )
        return _SWITCH[text.lower()]

    @property
    def _expected(self) -> str:
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        lowest, highest = f"{self.minimum:.12g}", f"{self.maximum:.12g}"
        if math.isinf(self.maximum):
            return kind if math.isinf(self.minimum) else f"{kind} of at least {lowest}"
        return f"{kind} from {lowest} to {highest}"


LARGEST_POPULATION = 10_000
MOST_MUTATIONS = 1000

_TUNABLE = "tunable"
"""Key of the metadata of a field."""


def tuned(
    default: float | str,
    minimum: float = 0.0,
    maximum: float = 1.0,
    choices: tuple[str, ...] = (),
) -> Any:
    """Return a dataclass field that is a tunable: its default, and which values it may have."""
    tunable = Tunable(default, minimum=minimum, maximum=maximum, choices=choices)
    return dataclasses.field(default=default, metadata={_TUNABLE: tunable})


def tunables_in(parameters_type: type[Any]) -> dict[str, Tunable]:
    """Return the tunables among the fields of a dataclass.

    A field without `tuned` takes any value of the type of its default.
    """
    defaults = parameters_type()
    return {
        field.name: field.metadata.get(_TUNABLE)
        or Tunable(getattr(defaults, field.name), minimum=-math.inf)
        for field in dataclasses.fields(parameters_type)
    }


TUNABLES: Mapping[str, Tunable] = MappingProxyType(
    {
        "test.max_calls": Tunable(
            10, "largest number of calls in one test", minimum=1, maximum=1000
        ),
        "request.timeout": Tunable(
            5.0, "seconds that one request may take", minimum=0.01, maximum=3600
        ),
        "run.processes": Tunable(
            64,
            "processes that the application may have at once; 0 for no limit",
            maximum=100_000,
        ),
        "run.memory": Tunable(
            0.5,
            "share of the free memory at the start that these processes may use; 0 for no limit",
            maximum=1,
        ),
        "state.fork": Tunable(
            "auto",
            "run each test in a forked process: if nothing else restores the state (auto), "
            "always, or never",
            choices=("auto", "always", "never"),
        ),
        "search.queries": Tunable(
            "on",
            "make SQL statements targets: each should find rows in one test and none in another",
            choices=("on", "off"),
        ),
        "search.rows": Tunable(
            "on",
            "let tests put rows into tables, through the models, if no call creates such rows",
            choices=("on", "off"),
        ),
        "walks.share": Tunable(
            0.2,
            "share of the requests that walks from page to page send, in applications with pages; "
            "0 for no walks",
            maximum=1,
        ),
        "walks.selector": Tunable(
            "least-used",
            "what chooses the next action of a walk",
            choices=(
                *("least-used", "random", "unvisited", "qlearning"),
                *("gp-policy", "gp-evolving", "bandit"),
            ),
        ),
        "walks.over": Tunable(
            "pages",
            "walk only over pages, or also over JSON answers of applications without pages",
            choices=("pages", "answers"),
        ),
        "browser.share": Tunable(
            0.2,
            "share of the search for visits with a browser, where --evosearch-browser asks for it",
            maximum=0.9,
        ),
        "browser.axe": Tunable(
            "",
            "path of axe.min.js for the oracle 'accessibility'; by default that of axe-core in the "
            "folder node_modules of the project",
        ),
        "plan.circumstances": Tunable(
            "all",
            "run the written tests under all circumstances, or only once, as they are (first); "
            "then the command ends sooner, and its tests are less certain",
            choices=("all", "first"),
        ),
        "plan.beside": Tunable(
            "auto",
            "finish tests in a second process during the search: if a budget of seconds is "
            "divided, there are two processors, and both share no state (auto); or never",
            choices=("auto", "never"),
        ),
        "minimize.evaluations": Tunable(
            200, "executions spent on minimising one test", maximum=1_000_000
        ),
        "inquiry.evaluations": Tunable(
            1000,
            "executions of targeted fault checks after the search; 0 for none",
            maximum=1_000_000_000,
        ),
    }
)
"""Tunables that belong to no algorithm: name to default and meaning; add a new one here.

The tunables of an algorithm are the fields of its parameters (``mio.population_size``), made with
`tuned`.  `build_settings` adds them.
"""


def parse_tunables(
    assignments: Sequence[str], known: Mapping[str, Tunable] = TUNABLES
) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; the last text of a name counts; raise `InvalidSetting`."""
    tunables: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise InvalidSetting(
                f"{assignment!r} is not an assignment: write --evosearch-set NAME=VALUE"
            )
        if name not in known:
            raise InvalidSetting(
                f"unknown tunable {name!r}{_suggestion(name, known)} (known: {', '.join(known)})"
            )
        known[name].parse(name, value)
        tunables[name] = value
    return tunables


def _suggestion(name: str, known: Iterable[str]) -> str:
    from pytest_evosearch.core.registry import suggestion

    return suggestion(name, known)
