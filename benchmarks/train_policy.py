"""Evolve the default policy for actions: ``python -m benchmarks.train_policy``.

It is trained on maps of made-up applications (sections, lists, pages of items, forms that may fail,
chains of pages that must be walked in order), which are in no table of docs/benchmarks.  Fitness is
the mean of the states that 150 actions reach, and of the ends of chains, which count ten times.
With ``--write`` the constant `DEFAULT` of `search.selecting.policy` is written anew.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting import policy
from pytest_evosearch.search.selecting.evolution import TOURNAMENT
from pytest_evosearch.search.selecting.evolution import EvolutionParameters
from pytest_evosearch.search.selecting.evolution import crossed
from pytest_evosearch.search.selecting.evolution import grown
from pytest_evosearch.search.selecting.evolution import mutated
from pytest_evosearch.search.selecting.policy import PolicySelector
from pytest_evosearch.search.selecting.policy import Tree
from pytest_evosearch.search.selecting.selectors import SELECTORS
from pytest_evosearch.search.selecting.selectors import make_selector

ACTIONS = 150
"""Actions of one run."""

PER_WALK = 12
"""Actions after which a run begins at home again."""

END_WEIGHT = 10
"""States that the end of a chain is worth."""

FINALISTS = 4
"""Policies that are measured anew at the end, with other seeds."""

Fitness: TypeAlias = "Callable[[Tree, Sequence[int]], float]"
"""Returns the mean of what a policy gains with these seeds."""


@dataclass
class MadeUp:
    """The map of an application: state -> offer -> where it leads, and how often it does."""

    leads: dict[str, dict[Offer, tuple[str, float]]] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)

    def add(self, state: str, offer: Offer, target: str, chance: float = 1.0) -> None:
        """Add an action."""
        self.leads.setdefault(state, {})[offer] = (target, chance)
        self.leads.setdefault(target, {})


def made_up(rng: Random) -> MadeUp:
    """Return a random map."""
    made = MadeUp()
    sections = [f"/{number}" for number in range(rng.randint(2, 6))]
    for section in sections:
        item, form = f"{section}/item", f"{section}/new"
        made.add("/", Offer(f"GET {section}", CLICK), section)
        made.add(section, Offer(f"GET {item}", CLICK), item)
        made.add(section, Offer(f"GET {form}", CLICK), form)
        made.add(form, Offer(f"POST {form}", SUBMIT), item, rng.choice((0.3, 0.6, 1.0)))
        made.add(item, Offer(f"POST {item} do=delete", SUBMIT), section)
        _add_chain(made, item if rng.random() < 0.5 else section, rng)
    for state in list(made.leads):
        for section in ("/", *sections):
            made.add(state, Offer(f"GET {section}", CLICK), section)
    return made


def _add_chain(made: MadeUp, state: str, rng: Random) -> None:
    for number in range(rng.randint(2, 5)):
        after = f"{state}/step{number}"
        made.add(state, Offer(f"POST {after}", SUBMIT), after, rng.choice((0.5, 0.8, 1.0)))
        if rng.random() < 0.5:
            made.add(after, Offer(f"POST {after} do=back", SUBMIT), state)
        state = after
    made.ends.add(state)


def gained(selector: ActionSelector, made: MadeUp, rng: Random) -> float:
    """Return what a selector gains on a map."""
    seen: set[str] = set()
    situation = _situation(made, "/")
    for number in range(ACTIONS):
        if number % PER_WALK == 0:
            situation = _situation(made, "/")
        offer = selector.ask(situation, rng)
        target, chance = made.leads[situation.state][offer]
        state = target if rng.random() < chance else situation.state
        after = _situation(made, state, situation, offer)
        selector.tell(Step(situation, offer, after))
        seen.add(state)
        situation = after
    return len(seen) + END_WEIGHT * len(seen & made.ends)


def _situation(
    made: MadeUp, state: str, before: Situation | None = None, taken: Offer | None = None
) -> Situation:
    offers = tuple(made.leads[state])
    known = before.offers if before else ()
    changed = before is None or before.state != state
    return Situation(state, offers, taken, changed, len(set(offers) - set(known)))


def fitness(tree: Tree, seeds: Sequence[int]) -> float:
    """Return the mean gain of a policy over several maps."""
    return mean(_run(PolicySelector(tree=tree), seed) for seed in seeds)


def _run(selector: ActionSelector, seed: int) -> float:
    rng = derive(seed, "made-up application")
    return gained(selector, made_up(rng), rng)


def evolved(
    fitness: Fitness, rng: Random, genes: EvolutionParameters, trees: int, seeds: int
) -> tuple[Tree, float]:
    """Return the best of `trees` policies and its fitness with seeds that it was not evolved on.

    Each is measured with several `seeds`: a single run is so noisy that evolution picks luck.
    """
    known = range(seeds)
    scored = []
    for _ in range(genes.population):
        tree = grown("choice", rng, genes.depth)
        scored.append((fitness(tree, known), tree))
    for _ in range(trees - genes.population):
        places = rng.sample(range(len(scored)), min(TOURNAMENT, len(scored)))
        places.sort(key=lambda place: scored[place][0], reverse=True)
        mother, father = scored[places[0]][1], scored[places[1]][1]
        child = crossed(mother, father, rng, genes.depth)
        if rng.random() < genes.mutation:
            child = mutated(child, rng, genes.depth)
        scored[places[-1]] = (fitness(child, known), child)
    scored.sort(key=lambda pair: pair[0], reverse=True)
    fresh = range(seeds, 4 * seeds)
    final = [(fitness(tree, fresh), tree) for _score, tree in scored[:FINALISTS]]
    score, best = max(final, key=lambda pair: pair[0])
    return best, score


def main(arguments: Sequence[str] | None = None) -> int:
    """Evolve a policy, and compare it with the other selectors on maps that it does not know."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=10, help="maps for each tree")
    parser.add_argument("--write", action="store_true", help="make it the default")
    chosen = parser.parse_args(arguments)
    genes, rng = EvolutionParameters(population=40), derive(chosen.seed, "training")
    tree, score = evolved(fitness, rng, genes, chosen.trees, chosen.seeds)
    text = json.dumps(tree)
    print(f"{score:7.1f} {text}")
    fresh = range(10_000, 10_200)
    print(f"{fitness(tree, fresh):7.1f} this policy, on other maps")
    for name in SELECTORS.names:
        if name != "gp-policy":
            print(f"{mean(_run(make_selector(name), one) for one in fresh):7.1f} {name}")
    if chosen.write:
        file = Path(policy.__file__)
        source = file.read_text(encoding="utf-8")
        file.write_text(re.sub("DEFAULT = '.*'", lambda _found: f"DEFAULT = '{text}'", source))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
