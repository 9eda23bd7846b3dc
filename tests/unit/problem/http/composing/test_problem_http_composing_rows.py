from __future__ import annotations

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import predicate_target
from pytest_evosearch.core.targets import statement_target
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.problem.http.composing.rows import MOST_ROWS
from pytest_evosearch.problem.http.composing.rows import PATIENCE
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.composing.rows import RowKind
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

GENE = ObjectGene((Field("name"),))
KINDS = (
    RowKind("shop.Author", "author", GENE),
    RowKind("shop.Book", "book", GENE, ("shop.Author",)),
    RowKind("shop.Setting", "setting", GENE),
)
STATEMENT = "app.py:3 select book 3fa2"
ROWS = statement_target(STATEMENT, "rows")
SHELF = "GET /shelf"
TEST = Individual((Call("POST /login", (), 1), Call(SHELF, (), 2)))


def composer(kinds=KINDS, waiting=PATIENCE, reached=(ROWS,)):
    made = RowComposer(kinds, {target: {SHELF: None} for target in reached})
    made.note(ROWS, SHELF)
    for _ in range(waiting):
        made.note_test()
    return made


def arranged(made, focus=ROWS, test=TEST):
    rng = Random(1)
    found = (made.with_row(test, rng, focus) for _ in range(60))
    return next((one for one in found if one is not None), None)


def names(test):
    return [one.name for one in test.calls[-1].inputs]


def test_call_that_reaches_the_target_gets_a_row_behind_those_that_it_needs():
    test = arranged(composer())
    assert names(test) == ["shop.Author", "shop.Book"]
    assert {one.location for one in test.calls[-1].inputs} == {Location.ROW}
    assert test.calls[0] == TEST.calls[0]


def test_predicate_wants_rows_of_its_statement():
    target = predicate_target(STATEMENT, "pages > ?", True)
    made = composer(reached=(target,))
    made.note(target, SHELF)
    for _ in range(PATIENCE):
        made.note_test()
    assert "shop.Book" in names(arranged(made, target))


def test_branch_wants_rows_of_any_statement_of_its_endpoint():
    branch = "branch app.py:9 true"
    made = composer(reached=(ROWS, branch))
    made.note(branch, SHELF)
    for _ in range(PATIENCE):
        made.note_test()
    assert "shop.Book" in names(arranged(made, branch))


@pytest.mark.parametrize(
    ("made", "focus"),
    [
        (composer(waiting=PATIENCE - 1), ROWS),
        (composer(kinds=()), ROWS),
        (composer(kinds=KINDS[2:]), ROWS),
        (composer(), None),
        (composer(reached=()), ROWS),
    ],
    ids=["calls come first", "no models", "other tables", "no focus", "never reached"],
)
def test_no_row_is_added_otherwise(made, focus):
    assert arranged(made, focus) is None


def test_rows_of_one_kind_have_names_of_their_own_and_an_end():
    made = composer()
    test = TEST
    for _ in range(MOST_ROWS):
        test = arranged(made, test=test) or test
    assert names(test) == ["shop.Author", "shop.Book", "shop.Book 2", "shop.Book 3"]


def test_a_missing_row_holds_what_is_asked_for_under_its_names_and_a_text_everywhere():
    call = Call(SHELF, (), 1)
    held = {"name": "oak"}

    found = list(composer().missing_from(call, {"book", "setting"}, held))

    assert [model for model, _ in found] == ["shop.Book", "shop.Setting", ""]
    rows = [[one.gene.value() for one in changed.inputs] for _, changed in found]
    assert rows[0][1] == rows[1][0] == {"name": "oak"}
    assert [one.name for one in found[2][1].inputs] == ["shop.Author", "shop.Book", "shop.Setting"]
    everywhere = [changed for _, changed in composer().missing_from(call, {"setting"}, {"": "ash"})]
    assert everywhere[0].inputs[0].gene.value() == {"name": "ash"}
    assert not list(composer().missing_from(found[0][1], {"book"}, held))
