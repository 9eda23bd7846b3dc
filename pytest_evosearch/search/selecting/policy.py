"""Policies: rules that choose actions, as typed trees that evolution can change.

    ["if", ["lt", ["clicks"], ["submits"]],
           ["pickAny", ["click"]],
           ["pickUnexecuted", ["any"]]]

A tree is a list: an operator, then its arguments, each a tree of the type that the operator takes.
So a tree is JSON as it is.  The source evolved one rule over the numbers of actions by type and the
previous type (Almenar, Esparcia-Alcazar, Martinez, Rueda, "Automated testing of web applications
with TESTAR: lessons learned testing the Odoo tool", SSBSE 2016, and Almenar's thesis).  `GRAMMAR`
has those, and what newer testers count: uses here and overall, visits, changes, new controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting.counting import least
from pytest_evosearch.settings.tunables import tuned

Tree: TypeAlias = "list[Any]"
"""An operator and its arguments; the argument of ``number`` is an int."""

_GRAMMAR_TEXT = """
choice     if condition choice choice
choice     pick kind number
choice     pickAny kind
choice     pickUnexecuted kind
choice     pickLeastUsed kind
choice     pickLeastUsedHere kind
condition  lt number number
condition  le number number
condition  eq number number
condition  and condition condition
condition  or condition condition
condition  not condition
condition  changed
condition  previousIs kind
number     actions
number     clicks
number     submits
number     unexecuted
number     fewestUsesHere
number     fewestUses
number     visits
number     newControls
number     number
kind       click
kind       submit
kind       call
kind       any
kind       previous
"""
"""Type, operator, and the types of its arguments."""

GRAMMAR: dict[str, tuple[str, tuple[str, ...]]] = {
    words[1]: (words[0], tuple(words[2:]))
    for words in map(str.split, _GRAMMAR_TEXT.strip().splitlines())
}
"""Operator -> its type, and the types of its arguments."""

LARGEST_NUMBER = 10
"""Largest constant in a tree: counts of actions are small."""

DEEPEST = 12
"""Most levels of a policy in a file."""

DEFAULT = '["pickLeastUsed", ["submit"]]'
"""The policy that is used without a file."""


@dataclass
class PolicyMemory:
    """What a policy may ask about the past."""

    here: dict[tuple[str, Offer], int] = field(default_factory=dict)
    overall: dict[Offer, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)

    def note(self, step: Step) -> None:
        """Count an action."""
        place = step.before.state, step.taken
        self.here[place] = self.here.get(place, 0) + 1
        self.overall[step.taken] = self.overall.get(step.taken, 0) + 1
        self.visits[step.after.state] = self.visits.get(step.after.state, 0) + 1


class _Evaluation:
    """Evaluates a tree in one situation."""

    def __init__(self, situation: Situation, memory: PolicyMemory, rng: Random) -> None:
        self._situation = situation
        self._memory = memory
        self._rng = rng

    def choice(self, tree: Tree) -> Offer:
        """Return the offer that a tree chooses."""
        operator, *arguments = tree
        if operator == "if":
            return self.choice(arguments[1] if self._holds(arguments[0]) else arguments[2])
        offers = self._of_kind(arguments[0])
        if operator == "pick":
            number = self._number(arguments[1])
            return offers[number] if number < len(offers) else self._rng.choice(offers)
        if operator == "pickUnexecuted":
            offers = [one for one in offers if not self._uses_here(one)] or offers
        elif operator == "pickLeastUsed":
            offers = least(offers, self._uses)
        elif operator == "pickLeastUsedHere":
            offers = least(offers, self._uses_here)
        return self._rng.choice(offers)

    def _holds(self, tree: Tree) -> bool:
        operator, *arguments = tree
        if operator == "and":
            return all(map(self._holds, arguments))
        if operator == "or":
            return any(map(self._holds, arguments))
        if operator == "not":
            return not self._holds(arguments[0])
        if operator == "changed":
            return self._situation.changed
        if operator == "previousIs":
            previous = self._situation.previous
            return previous is not None and previous.kind == arguments[0][0]
        first, second = map(self._number, arguments)
        if operator == "lt":
            return first < second
        return first <= second if operator == "le" else first == second

    def _number(self, tree: Tree) -> int:
        situation, offers = self._situation, self._situation.offers
        counts = {
            "actions": lambda: len(offers),
            "clicks": lambda: sum(one.kind == CLICK for one in offers),
            "submits": lambda: sum(one.kind == SUBMIT for one in offers),
            "unexecuted": lambda: sum(not self._uses_here(one) for one in offers),
            "fewestUsesHere": lambda: min(map(self._uses_here, offers)),
            "fewestUses": lambda: min(map(self._uses, offers)),
            "visits": lambda: self._memory.visits.get(situation.state, 0),
            "newControls": lambda: situation.new_offers,
        }
        return int(tree[1]) if tree[0] == "number" else counts[tree[0]]()

    def _of_kind(self, tree: Tree) -> Sequence[Offer]:
        """Return the offers of a kind; all where there is none."""
        offers, kind = self._situation.offers, tree[0]
        if kind == "previous":
            previous = self._situation.previous
            kind = previous.kind if previous is not None else "any"
        return [one for one in offers if one.kind == kind] or offers

    def _uses_here(self, offer: Offer) -> int:
        return self._memory.here.get((self._situation.state, offer), 0)

    def _uses(self, offer: Offer) -> int:
        return self._memory.overall.get(offer, 0)


@dataclass(frozen=True)
class PolicyParameters:
    """Parameters of a policy."""

    policy: str = tuned("")
    """A file with a policy, as `benchmarks.train_policy` writes it; empty for the default."""


class PolicySelector:
    """Chooses as a policy says."""

    parameters_type = PolicyParameters
    prefix = "gp"

    def __init__(
        self, parameters: PolicyParameters | None = None, tree: Tree | None = None
    ) -> None:
        self.parameters = parameters or PolicyParameters()
        file = self.parameters.policy
        self.tree = tree or (policy_in(Path(file)) if file else checked(json.loads(DEFAULT)))
        self._memory = PolicyMemory()

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return the offer that the policy chooses."""
        return _Evaluation(situation, self._memory, rng).choice(self.tree)

    def tell(self, step: Step) -> None:
        """Count an action."""
        self._memory.note(step)


def policy_in(file: Path) -> Tree:
    """Return the policy in a file; raise `InvalidSetting` where there is none."""
    try:
        tree = json.loads(file.read_text(encoding="utf-8"))
        return checked(tree)
    except (OSError, ValueError) as error:
        raise InvalidSetting(
            f"gp.policy={file} has no policy: {error} (make one with "
            "python -m benchmarks.train_policy, or leave gp.policy out for the default)"
        ) from None


def checked(tree: object, wanted: str = "choice", depth: int = 0) -> Tree:
    """Return `tree` if it is one of type `wanted`; raise ValueError if it is not."""
    if not isinstance(tree, list) or not tree or tree[0] not in GRAMMAR or depth > DEEPEST:
        raise ValueError(f"{tree!s:.40} is no tree")
    kind, arguments = GRAMMAR[tree[0]]
    if kind != wanted:
        raise ValueError(f"{tree[0]} is a {kind}, and a {wanted} is needed")
    if tree[0] == "number":
        if len(tree) != 2 or not isinstance(tree[1], int):
            raise ValueError("number takes a whole number")
        return tree
    if len(tree) != len(arguments) + 1:
        raise ValueError(f"{tree[0]} takes {len(arguments)} arguments")
    for one, argument in zip(tree[1:], arguments, strict=True):
        checked(one, argument, depth + 1)
    return tree
