"""Research parameters that no algorithm owns, and how ``--evosearch-set`` is read."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from pytest_evosearch.errors import InvalidSetting


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
        "run.processes": Tunable(
            64, "processes that the application may have at once; 0 for no limit"
        ),
        "run.memory": Tunable(
            0.5,
            "share of the memory that is free at the beginning which these processes may take; "
            "0 for no limit",
        ),
        "state.fork": Tunable(
            "auto",
            "run each test in a forked process: where nothing else brings the state back, "
            "always, or never",
            choices=("auto", "always", "never"),
        ),
        "search.queries": Tunable(
            "on",
            "make targets of the statements of SQL: each wants to be seen finding rows and none",
            choices=("on", "off"),
        ),
        "search.rows": Tunable(
            "on",
            "let tests put rows into tables, through the models, that no call makes",
            choices=("on", "off"),
        ),
        "plan.finish": Tunable(
            "timely",
            "a budget of seconds is that of the whole command (timely), or of the search alone, "
            "and all tests are verified in all circumstances, however long that takes (thorough)",
            choices=("timely", "thorough"),
        ),
        "minimize.evaluations": Tunable(200, "executions spent on minimising one test"),
        "inquiry.evaluations": Tunable(
            1000, "executions of targeted fault checks after the search; 0 for none"
        ),
    }
)
"""Tunables that no algorithm owns: name to default and meaning; this is where to add one.

Those of an algorithm are the fields of its parameters (``mio.population_size``); see
`build_settings`, which adds them.
"""


def parse_tunables(
    assignments: Sequence[str], known: Mapping[str, Tunable] = TUNABLES
) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts, the last of a name winning; raise `InvalidSetting`."""
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
