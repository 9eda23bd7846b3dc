"""Arguments that are objects of the code's own classes, and texts that its patterns match."""

from __future__ import annotations

import re
from datetime import datetime

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.code_uses import uses_of
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.plain_texts import plain_texts
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import arranged
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import UnitProblem

RNG = derive(1, "own classes")
MODES = ("strict", "loose")


class Version:
    pattern = re.compile(r"^(\d+)\.(\d+)$")
    LATEST = "latest"

    def __init__(self, text=None, _warn=True):  # type: ignore[no-untyped-def]
        found = self.pattern.match(text)
        if not found:
            raise ValueError(text)
        self.parts = found.groups()

    def __add__(self, other):  # type: ignore[no-untyped-def]
        return other.parts

    def __rsub__(self, other):  # type: ignore[no-untyped-def]
        return other

    def __lt__(self, other):  # type: ignore[no-untyped-def]
        return self.parts < other.parts if isinstance(other, (Version, Never)) else NotImplemented

    def truncated(self, level):  # type: ignore[no-untyped-def]
        return self.parts[:1] if level in ("major", self.LATEST) else self.parts


class Clause:
    def match(self, version):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def both(self, version, mode):  # type: ignore[no-untyped-def]
        return self.match(version) and mode == MODES[0]


class Never(Clause):
    def match(self, version):  # type: ignore[no-untyped-def]
        return False


class Exactly(Clause):
    def match(self, version):  # type: ignore[no-untyped-def]
        return version.parts == ("1", "2")


def is_due(moment, log):  # type: ignore[no-untyped-def]
    log.append(isinstance(moment, datetime) and moment > datetime.now())


class _Proxy:
    """Runs code of an application to say anything of itself."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError("outside of a request")


session = _Proxy()


def remembered(name: str, count: int) -> object:
    return session.find(name, count)  # type: ignore[attr-defined]


def newest(text, count):  # type: ignore[no-untyped-def]
    return max(Version(text).parts, count)


def any_matches(clause: Clause) -> bool:
    return bool(clause.match(None))


class Expiring:
    def __init__(self, life):  # type: ignore[no-untyped-def]
        self.life = life

    def ends(self, start):  # type: ignore[no-untyped-def]
        return start + self.life


def halved(number: int) -> int:
    if not isinstance(number, int):
        raise TypeError("no number")
    return number // 2


def problem_of_this() -> UnitProblem:
    units = by_key(units_of([__name__]))
    return UnitProblem(units, Arguments(units), {key: [] for key in units})


def made_in(problem: UnitProblem, name: str, argument: str) -> set[str]:
    """Return the classes of which an argument of fresh calls is."""
    unit = problem.units[f"{__name__}:{name}"]
    values = (problem.test_of(unit, RNG).act.values()[argument] for _ in range(30))
    return {one.function.name if isinstance(one, Made) else type(one).__name__ for one in values}


def test_what_a_class_leaves_to_others_is_tested_in_the_first_that_has_it() -> None:
    names = {unit.name for unit in units_of([__name__])}

    assert names.isdisjoint({"Clause", "Clause.match", "Clause.both"})
    assert {"Never.match", "Exactly.match", "Never.both"} <= names
    assert "Exactly.both" not in names


def test_an_operand_is_of_its_class_or_of_one_that_the_code_asks_for() -> None:
    problem = problem_of_this()

    assert made_in(problem, "Version.__add__", "other") == {"Version"}
    assert made_in(problem, "Version.__lt__", "other") == {"Version", "Never"}
    # Python asks `__rsub__` only where the left operand is of another class.
    assert "Version" not in made_in(problem, "Version.__rsub__", "other")


def test_a_type_that_a_method_cannot_use_was_wrong_from_the_beginning() -> None:
    problem = problem_of_this()

    def of(life: object, start: object) -> UnitTest:
        made = UnitCall(f"{__name__}:Expiring", (("life", ConstantGene(life)),))
        return UnitTest(
            (made, UnitCall(f"{__name__}:Expiring.ends", (("start", ConstantGene(start)),)))
        )

    message = "unsupported operand type(s) for +: 'float' and 'str'"
    raised = Raised(Named("builtins", "TypeError"), message, ("TypeError",), "shop.py", 3)
    failed = Run([Result(End.RETURNED), Result(End.RAISED, raised=raised)])
    problem.wrong.learn(of("hello", "admin"), failed)
    assert not problem.wrong.has(of("hello", 3))

    problem.wrong.learn(of("hello", 3), failed)  # the text was passed both times
    assert problem.wrong.has(of("admin", 3))
    assert not problem.wrong.has(of(5, "hello"))
    expiring = problem.units[f"{__name__}:Expiring.ends"]
    tests = [problem.test_of(expiring, RNG) for _ in range(40)]
    assert sum(map(problem.wrong.has, tests)) < 8


def test_an_argument_whose_class_is_checked_is_of_other_classes_too() -> None:
    assert {"int", "str"} <= made_in(problem_of_this(), "halved", "number")


def test_an_argument_with_the_name_of_a_class_is_an_object_of_it() -> None:
    assert made_in(problem_of_this(), "Exactly.match", "version") == {"Version"}


def test_an_object_of_a_class_that_is_extended_is_one_of_those_that_extend_it() -> None:
    assert made_in(problem_of_this(), "any_matches", "clause") == {"Never", "Exactly"}


def test_the_source_shows_words_classes_and_what_gets_an_argument() -> None:
    assert uses_of(Version.truncated).words == {"level": ["major", "latest"]}
    assert uses_of(Version.__lt__).kinds == {"other": [Version, Never]}
    assert uses_of(newest).forwarded == {"text": [(f"{__name__}:Version", 0)]}


def test_a_clock_stays_where_the_code_asks_for_its_class_and_silence_is_seen() -> None:
    units = by_key(units_of([__name__]))
    due = units[f"{__name__}:is_due"]

    assert [one.name for one in due.parameters] == ["moment", "log"]
    assert due.gives_nothing
    assert not units[f"{__name__}:newest"].gives_nothing


def test_a_proxy_of_the_module_is_asked_nothing() -> None:
    assert uses_of(remembered).forwarded == {}
    assert f"{__name__}:remembered" in by_key(units_of([__name__]))


def test_an_option_of_the_module_itself_is_none() -> None:
    unit = by_key(units_of([__name__]))[f"{__name__}:Version"]

    assert [one.name for one in unit.parameters] == ["text"]
    assert arranged(unit, {"text": "1.2"}) == (["1.2"], {})


def test_texts_that_match_are_plain() -> None:
    version = r"^(\d+)\.(\d+)(?:-([a-z]+))?$"

    assert plain_texts(version)[:2] == ["1.2", "1.2-alpha"]
    assert plain_texts(r"^\w+@\w+\.com$")[-1].endswith(".com")
    assert all(re.search(version, one) for one in plain_texts(version))
    assert plain_texts("(") == []


def test_a_text_that_the_pattern_of_an_argument_matches_is_tried_next() -> None:
    problem = problem_of_this()
    test = problem.test_of(problem.units[f"{__name__}:newest"], RNG)
    test = test.with_call(0, problem.objects.with_text(problem.units[test.act.unit], "text", "x"))
    met = Comparison("branch", "match", test.act.values()["text"], Version.pattern.pattern)

    problem.learn(Evaluation(test, {"branch": 0.5}, size_of(test), Run(comparisons=[met])))

    tried = [problem.sample(RNG).act for _ in range(2)]
    assert [one.unit.partition(":")[2] for one in tried] == ["newest", "Version"]
    assert {one.values()["text"] for one in tried} == {"1.2"}


def test_an_object_that_this_run_has_made_is_made_again() -> None:
    problem = problem_of_this()
    version = problem.units[f"{__name__}:Version"]
    test = UnitTest((problem.objects.with_text(version, "text", "8.9"),))
    returned = Run([Result(End.RETURNED, outline="something")])
    problem.learn(Evaluation(test, {}, size_of(test), returned))

    tests = [problem.test_of(problem.units[f"{__name__}:Version.__add__"], RNG) for _ in range(30)]
    assert sum(one.calls[0] == test.act for one in tests) > 10
    operands = [one for each in tests for _path, one in walk(dict(each.act.arguments)["other"])]
    texts = [getattr(one.value(), "arguments", None) for one in operands]
    assert texts.count(("8.9",)) > 10
