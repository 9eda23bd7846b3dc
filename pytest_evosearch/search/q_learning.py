"""Q-learning: extends tests step by step, by what each step has led to in its state.

    s = "", the state before any step; x = the empty test
    while budget left:
        if random() < epsilon: run x = sample(); learn each of its steps
        else:
            a = the move with the greatest Q(s, a), drawn among equals
            a is a fresh step:   run x + step, learn (s, a, s')
            a aims at a target:  run mutate(the test that is closest to it), learn (s, a, s')
        if s' is another state than s: go on with the test that was run, in s'
        after `episode_length` tests, or when x is full: back to the empty test

    learn (s, a, s'): Q(s, a) = reward + gamma * max over a' of Q(s', a'), where
        reward = R_MAX / (times a was made in s + 1); unseen moves are worth R_MAX

Sources: S. Bauersfeld, T. Vos, "A reinforcement learning approach to automated GUI robustness
testing", SSBSE 2012; A. Esparcia-Alcazar et al., "Q-learning strategies for action selection in the
TESTAR automated testing tool", META 2016 (reward, R_max, gamma).

Some things differ here, because a test is a sequence that is executed as a whole, from a restored
state.  To try a step, the algorithm executes the test so far with the step at its end.  A step that
leaves the state unchanged is removed again, which keeps tests short.  The problem says what a state
is (`Problem.states`).

In the sources an action has no values.  Here other values of one action find more.  So there is a
second kind of move: a variation of the test that comes closest to an open target.  It belongs to
the state in which that test took its last step.  When a test comes closer, its variation is a new
move with the value R_MAX.  So variation happens where values still rise.

gamma is 0.5, one of the published settings, and not 0.95, the best one for user interfaces.  There
an episode has a thousand actions, here ten.  With a great gamma some forty repetitions of a useless
step come before an unseen step.  Samples are the usual exploration of Q-learning.  They use what
failures suggest, which the values do not contain.

`ask` returns one test.  A new step comes after the test of the episode.  Each reached open target
has one variation, in one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.action_values import ActionValues
from pytest_evosearch.search.action_values import Move
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.tunables import tuned

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"

START = ""
"""The state before any step."""

SAMPLE = Move()
"""A new sample, which is no move of any state."""


@dataclass(frozen=True)
class QLearningParameters:
    """Parameters of Q-learning."""

    gamma: float = tuned(0.5, 0, 0.999)
    """Weight of the best move of the next state, below 1: otherwise values grow without end."""
    epsilon: float = tuned(0.3)
    """Probability of a new sample instead of the best move."""
    episode_length: int = tuned(10, 1, 1_000_000)
    """Number of tests after which an episode ends."""


@dataclass(frozen=True)
class _Closest(Generic[I]):
    """The test that comes closest to an open target."""

    score: float
    calls: int
    individual: I
    state: str
    """The state in which it took its last step."""


class QLearning(Generic[I]):
    """Q-learning behind `ask` and `tell`; see the module's text for the algorithm."""

    parameters_type = QLearningParameters

    def __init__(
        self, context: SearchContext[I], parameters: QLearningParameters | None = None
    ) -> None:
        self.parameters = chosen = parameters or QLearningParameters()
        self._context = context
        self.values = ActionValues(chosen.gamma, context.problem.offers(None, context.rng))
        """Q(s, a) as learned so far."""
        self._closest: dict[TargetId, _Closest[I]] = {}
        self._asked = SAMPLE
        self._begin_episode()

    @property
    def variations(self) -> dict[TargetId, str]:
        """Return for each open target the state in which a variation may aim at it."""
        return {target: closest.state for target, closest in self._closest.items()}

    def ask(self) -> Sequence[I]:
        """Return a new sample, or the test that the best move makes."""
        problem, rng = self._context.problem, self._context.rng
        if rng.random() < self.parameters.epsilon:
            self._asked = SAMPLE
            return [problem.sample(rng)]
        offered = self._offered()
        self._asked = move = self._best_move(offered)
        if move.target:
            closest = self._closest[move.target]
            return [problem.mutate(closest.individual, rng, focus=move.target)]
        if move.action:
            return [problem.extend(self._test, move.action, rng)]
        return [problem.sample(rng)]

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn from the executed tests, and continue from the state that they led to."""
        asked = self._asked
        for evaluation in evaluations:
            state = self._take_in(evaluation, asked)
            self._go_on(evaluation.individual, state, asked)

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn from each step of these tests."""
        for evaluation in evaluations:
            self._take_in(evaluation, SAMPLE)

    def _take_in(self, evaluation: Evaluation[I], asked: Move) -> str:
        """Learn from a test that the move `asked` made; return the state that it led to."""
        trail = [START, *self._context.problem.states(evaluation)]
        self._learn(evaluation.individual, trail, asked)
        self._note_closest(evaluation, trail[max(0, len(trail) - 2)])
        return trail[-1]

    def _begin_episode(self) -> None:
        self._test: I | None = None
        self._state = START
        self._made = 0

    def _offered(self) -> Sequence[str]:
        """Return what can follow the test so far; begin again first if it is full."""
        if self._made >= self.parameters.episode_length:
            self._begin_episode()
        problem, rng = self._context.problem, self._context.rng
        offered = problem.offers(self._test, rng)
        if offered or self._test is None:
            return offered
        self._begin_episode()
        return problem.offers(None, rng)

    def _best_move(self, offered: Sequence[str]) -> Move:
        """Draw one of the best moves, after removing those whose target is covered."""
        rng, is_covered = self._context.rng, self._context.archive.is_covered
        while best := self.values.best_moves(self._state, frozenset(offered)):
            move = best[rng.randrange(len(best))]
            if not move.target or not is_covered(move.target):
                return move
            self._close(move.target)
        return SAMPLE

    def _learn(self, individual: I, trail: Sequence[str], asked: Move) -> None:
        """Learn from the move `asked`, and from every other new step of the test."""
        actions = self._context.problem.actions(individual)
        first, last = 0, len(trail) - 1
        if asked.action:
            # Steps that it needs may come before it; what comes before those is learned already.
            first = 0 if self._test is None else len(self._context.problem.actions(self._test))
            last -= 1
        if not asked.target:
            # The last step first: what it learns is the future of the earlier steps.
            for place in reversed(range(first, last)):
                self.values.learn(trail[place], Move(actions[place]), trail[place + 1])
        if asked.action or self._is_open(asked):
            self.values.learn(self._state, asked, trail[-1])

    def _is_open(self, move: Move) -> bool:
        closest = self._closest.get(move.target)
        return closest is not None and closest.state == self._state

    def _go_on(self, individual: I, state: str, asked: Move) -> None:
        """Continue the episode with a test that led to another state; begin one with a sample."""
        if asked == SAMPLE:
            self._begin_episode()
        self._made += 1
        if state != self._state:
            self._test, self._state = individual, state

    def _note_closest(self, evaluation: Evaluation[I], state: str) -> None:
        """Keep the test for each open target to which it comes at least as close as another."""
        is_covered = self._context.archive.is_covered
        calls = evaluation.size[0]
        for target, score in evaluation.scores.items():
            known = self._closest.get(target)
            if score >= COVERED or is_covered(target):
                self._close(target)
                continue
            better = score > (known.score if known is not None else 0.0)
            if not better and not (known and _is_as_good(known, score, calls, state)):
                continue
            if better:
                self._close(target)
                self.values.renew(state, Move(target=target))
            self._closest[target] = _Closest(score, calls, evaluation.individual, state)

    def _close(self, target: TargetId) -> None:
        known = self._closest.pop(target, None)
        if known is not None:
            self.values.remove(known.state, Move(target=target))


def _is_as_good(known: _Closest[I], score: float, calls: int, state: str) -> bool:
    """Say whether a test may replace a known one: equal tests do, to move across a plateau."""
    return (score, state) == (known.score, known.state) and calls <= known.calls
