from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive

reproducibly = settings(deadline=None, database=None)

SCORES = strategies.dictionaries(
    strategies.sampled_from("abcdef"), strategies.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
)
EVALUATIONS = strategies.lists(
    strategies.builds(
        Evaluation,
        individual=strategies.integers(),
        scores=SCORES,
        size=strategies.tuples(strategies.integers(1, 4), strategies.integers(0, 9)),
    ),
    max_size=30,
)


@reproducibly
@given(EVALUATIONS)
def test_coverage_and_best_values_only_grow_and_covering_tests_only_shrink(
    evaluations: list[Evaluation[int]],
) -> None:
    archive: Archive[int] = Archive()
    for evaluation in evaluations:
        covered = {target: kept.size for target, kept in archive.covered.items()}
        best = dict(archive.best)
        newly = archive.offer(evaluation)
        assert set(newly) == set(archive.covered) - set(covered)
        assert all(archive.covered[target].size <= size for target, size in covered.items())
        for target, score in best.items():
            assert archive.is_covered(target) or archive.best[target] >= score


@reproducibly
@given(EVALUATIONS)
def test_the_archive_holds_the_best_of_all_offers(evaluations: list[Evaluation[int]]) -> None:
    archive: Archive[int] = Archive()
    for evaluation in evaluations:
        archive.offer(evaluation)
    for target in "abcdef":
        best = max((given.scores.get(target, 0.0) for given in evaluations), default=0.0)
        sizes = [given.size for given in evaluations if given.scores.get(target, 0.0) == best]
        kept = archive.best_evaluation(target)
        if best == 0.0:
            assert kept is None
            continue
        assert kept is not None
        assert kept.size == min(sizes)
        assert (target in archive.covered, archive.best.get(target)) == (
            best == 1.0,
            None if best == 1.0 else best,
        )


@reproducibly
@given(EVALUATIONS)
def test_reached_targets_are_open_or_covered_never_both(
    evaluations: list[Evaluation[int]],
) -> None:
    archive: Archive[int] = Archive()
    for evaluation in evaluations:
        archive.offer(evaluation)
    assert sorted([*archive.open_targets(), *archive.covered]) == sorted(archive.known)
    assert archive.uncovered_targets() == [
        target for target in archive.known if target in archive.best
    ]
