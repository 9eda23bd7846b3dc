from __future__ import annotations

import json

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting.evolution import crossed
from pytest_evosearch.search.selecting.evolution import grown
from pytest_evosearch.search.selecting.evolution import mutated
from pytest_evosearch.search.selecting.policy import DEFAULT
from pytest_evosearch.search.selecting.policy import GRAMMAR
from pytest_evosearch.search.selecting.policy import PolicyParameters
from pytest_evosearch.search.selecting.policy import PolicySelector
from pytest_evosearch.search.selecting.policy import Tree
from pytest_evosearch.search.selecting.policy import checked

LINK, OTHER, FORM = Offer("a", CLICK), Offer("b", CLICK), Offer("c", SUBMIT)
HERE = Situation("here", (LINK, OTHER, FORM), previous=FORM, new_offers=3)

SOURCE = ["if", ["lt", ["clicks"], ["submits"]], ["pickAny", ["click"]]]
WINNER = [*SOURCE, ["pickUnexecuted", ["any"]]]
"""The rule that won in the source."""


def chosen(tree: Tree, *taken: Offer, situation: Situation = HERE) -> set[Offer]:
    """Return what a policy may choose after these actions."""
    selector = PolicySelector(tree=checked(tree))
    for offer in taken:
        selector.tell(Step(HERE, offer, HERE))
    return {selector.ask(situation, derive(seed, "")) for seed in range(12)}


def test_the_rule_of_the_source_prefers_what_was_not_tried_here() -> None:
    assert chosen(WINNER, LINK, OTHER) == {FORM}
    assert chosen(WINNER, LINK, OTHER, FORM) == {LINK, OTHER, FORM}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (["lt", ["submits"], ["clicks"]], True),
        (["lt", ["actions"], ["number", 3]], False),
        (["le", ["actions"], ["number", 3]], True),
        (["eq", ["newControls"], ["number", 3]], True),
        (["eq", ["unexecuted"], ["number", 2]], True),
        (["and", ["changed"], ["not", ["changed"]]], False),
        (["or", ["changed"], ["not", ["changed"]]], True),
        (["previousIs", ["submit"]], True),
        (["previousIs", ["click"]], False),
        (["eq", ["fewestUses"], ["fewestUsesHere"]], True),
        (["eq", ["visits"], ["number", 1]], True),
    ],
)
def test_conditions(condition: Tree, holds: bool) -> None:
    tree = ["if", condition, ["pickAny", ["submit"]], ["pickAny", ["click"]]]
    assert chosen(tree, LINK) == ({FORM} if holds else {LINK, OTHER})


def test_picks() -> None:
    assert chosen(["pick", ["click"], ["number", 1]]) == {OTHER}
    assert chosen(["pick", ["click"], ["number", 9]]) == {LINK, OTHER}
    assert chosen(["pickAny", ["call"]]) == {LINK, OTHER, FORM}
    assert chosen(["pickAny", ["previous"]]) == {FORM}
    assert chosen(["pickLeastUsed", ["any"]], LINK, FORM) == {OTHER}
    elsewhere = Situation("there", HERE.offers)
    assert chosen(["pickLeastUsed", ["click"]], LINK, situation=elsewhere) == {OTHER}
    assert chosen(["pickLeastUsedHere", ["click"]], LINK, situation=elsewhere) == {LINK, OTHER}


@pytest.mark.parametrize(
    "tree", ["x", [], ["pickAny"], ["pickAny", ["actions"]], ["changed"], ["pick", ["any"], 3]]
)
def test_what_is_no_policy_is_refused(tree: object) -> None:
    with pytest.raises(ValueError, match=r"no tree|is needed|takes"):
        checked(tree)


def test_a_file_without_a_policy_gives_one_line(tmp_path) -> None:
    file = tmp_path / "policy.json"
    for text in ("[", '["pickAny"]'):
        file.write_text(text)
        with pytest.raises(InvalidSetting, match=r"gp\.policy=.* has no policy: "):
            PolicySelector(PolicyParameters(str(file)))
    file.write_text(json.dumps(WINNER))
    assert PolicySelector(PolicyParameters(str(file))).tree == WINNER
    with pytest.raises(InvalidSetting, match="No such file"):
        PolicySelector(PolicyParameters(str(tmp_path / "none.json")))


def test_the_default_is_a_policy() -> None:
    assert PolicySelector().tree == checked(json.loads(DEFAULT))


def test_trees_stay_well_typed_and_shallow_under_variation() -> None:
    rng = derive(1, "trees")
    trees = [grown("choice", rng, 4) for _ in range(60)]
    for _ in range(400):
        mother, father = rng.choice(trees), rng.choice(trees)
        child = mutated(crossed(mother, father, rng, 5), rng, 5)
        checked(child)
        trees[rng.randrange(len(trees))] = child
    assert {part for tree in trees for part in _operators(tree)} > {"if", "pickAny", "lt"}
    assert json.loads(json.dumps(trees)) == trees


def _operators(tree: Tree) -> set[str]:
    inside = [_operators(part) for part in tree[1:] if isinstance(part, list)]
    return {tree[0]}.union(*inside)


def test_every_operator_has_a_type_that_something_takes() -> None:
    taken = {argument for _kind, arguments in GRAMMAR.values() for argument in arguments}
    assert {kind for kind, _arguments in GRAMMAR.values()} == taken
