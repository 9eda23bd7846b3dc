"""What Q-learning knows: for each state the value of every move that is possible in it.

    a move that was not made yet:  Q(s, a) = R_MAX
    after a move from s to s':     Q(s, a) = R_MAX / (times a was made in s + 1)
                                             + gamma * max over a' of Q(s', a')

A value is above 0 and at most R_MAX / (1 - gamma).  A state that no test has reached has the value
R_MAX.  Rows hold moves in the order of their first appearance, so that equal runs are equal.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from typing import NamedTuple

from pytest_evosearch.core.targets import TargetId

R_MAX = 1.0
"""The largest reward.  Every value is proportional to it, so its size decides nothing."""


class Move(NamedTuple):
    """One move in a state: a new step with `action`, or a variation that aims at `target`."""

    action: str = ""
    target: TargetId = ""


class ActionValues:
    """The table Q(s, a), and how often each move was made."""

    def __init__(self, gamma: float, actions: Iterable[str]) -> None:
        self._gamma = gamma
        self._moves = [Move(action) for action in actions]
        self._values: dict[str, dict[Move, float]] = {}
        self._times: dict[tuple[str, Move], int] = {}

    @property
    def states(self) -> list[str]:
        """Return the states with a row, in order of appearance."""
        return list(self._values)

    def value(self, state: str, move: Move) -> float:
        """Return Q(s, a); raise KeyError for a variation that does not exist in `state`."""
        return self._row(state)[move]

    def best_value(self, state: str) -> float:
        """Return the greatest value of a move in `state`."""
        return max(self._row(state).values(), default=R_MAX)

    def best_moves(self, state: str, offered: Collection[str]) -> list[Move]:
        """Return the moves with the greatest value; of new steps only those in `offered`."""
        best, found = 0.0, list[Move]()
        for move, value in self._row(state).items():
            if value < best or not (move.target or move.action in offered):
                continue
            if value > best:
                best, found = value, []
            found.append(move)
        return found

    def learn(self, state: str, move: Move, next_state: str) -> None:
        """Update Q after `move` led from `state` to `next_state`."""
        times = self._times[state, move] = self._times.get((state, move), 0) + 1
        future = self.best_value(next_state)
        self._row(state)[move] = R_MAX / (times + 1) + self._gamma * future

    def renew(self, state: str, move: Move) -> None:
        """Add `move` to `state`, or set its count there to 0."""
        self._row(state)[move] = R_MAX
        self._times.pop((state, move), None)

    def remove(self, state: str, move: Move) -> None:
        """Remove `move` from `state`."""
        self._row(state).pop(move, None)
        self._times.pop((state, move), None)

    def _row(self, state: str) -> dict[Move, float]:
        row = self._values.get(state)
        if row is None:
            row = self._values[state] = dict.fromkeys(self._moves, R_MAX)
        return row
