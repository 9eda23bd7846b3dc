"""Which tests of units are written, from scripted executions: each unit covers what it is named."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.units.unit_harvest import UnitHarvest
from pytest_evosearch.harvest.units.unit_harvest import harvested
from pytest_evosearch.harvest.units.unit_reduction import Execute
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

EMPTY = Instance(Named("shop", "Cart"))

UNITS = {
    "shop:clean": Unit("shop", "clean"),
    "shop:Cart": Unit("shop", "Cart", Kind.CLASS),
    "shop:Cart.add": Unit("shop", "Cart.add", Kind.METHOD),
    "shop:Cart.clear": Unit("shop", "Cart.clear", Kind.METHOD),
}


def calls(*names: str, **texts: str) -> UnitTest:
    genes = tuple((name, OptionalGene(TextGene(current=one))) for name, one in texts.items())
    return UnitTest(tuple(UnitCall(f"shop:{name}", genes) for name in names))


def executed(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Cover the units that are called, and one more target with the text "sale"."""
    if test.act.unit == "shop:broken":
        raise LookupError("broken")
    values = [1 if "." in call.unit else EMPTY for call in test.calls]
    results = [Result(End.RETURNED, value) for value in values]
    covered = {call.unit for call in test.calls}
    covered |= {"sale" for call in test.calls if "sale" in call.values().values()}
    return Run(results), frozenset(covered)


class Scripted:
    """Small changes that the given tests detect, and no other."""

    def __init__(self, detecting: Sequence[UnitTest]) -> None:
        self._detecting = detecting

    def strengthened(
        self, _chosen: Mapping[UnitTest, object], _further: Mapping[UnitTest, object]
    ) -> list[UnitTest]:
        return list(self._detecting)

    def powers(self, _tests: Mapping[UnitTest, object]) -> dict[UnitTest, frozenset[str]]:
        return {}

    def hollow(self, _tests: Iterable[UnitTest]) -> frozenset[UnitTest]:
        return frozenset()


def harvest_of(
    *tests: UnitTest,
    execute: Execute = executed,
    fault: str = "",
    fence: Fence | None = None,
    documented: Mapping[UnitTest, str] | None = None,
    shown: Sequence[object] = (),
    further: Sequence[UnitTest] = (),
    detecting: Sequence[UnitTest] = (),
    unsure: Sequence[tuple[int, int]] = (),
) -> UnitHarvest:
    def nothing(_test: UnitTest, _result: Result) -> str:
        return fault

    given = tests, lambda: further, UNITS, execute, nothing, lambda: False, Scripted(detecting)
    told = documented or {}, lambda *_at: Usual(tuple(shown)), lambda _test: unsure
    return harvested(*given, fence or Fence(), *told)


def written(*tests: UnitTest, fence: Fence | None = None) -> list[UnitTest]:
    return [one.test for one in harvest_of(*tests, fence=fence).specimens]


def test_a_call_on_the_way_gets_a_test_of_its_own() -> None:
    tests = written(calls("Cart", "Cart.add", "Cart.clear"))

    assert [[call.unit for call in test.calls] for test in tests] == [
        ["shop:Cart", "shop:Cart.add"],
        ["shop:Cart", "shop:Cart.clear"],
    ]


def test_options_that_change_nothing_go_and_others_stay() -> None:
    (test,) = written(calls("Cart", "Cart.add", name="sale", colour="red", size="xl"))

    assert sum(len(call.values()) for call in test.calls) == 1
    assert "sale" in {**test.calls[0].values(), **test.calls[1].values()}.values()


def test_what_several_tests_cover_stays_covered_by_one_of_them() -> None:
    tests = written(
        calls("Cart", "Cart.add", name="sale", colour="red"),
        calls("Cart", "Cart.clear", name="sale"),
    )

    assert [test.act.unit for test in tests] == ["shop:Cart.add", "shop:Cart.clear"]
    passed = [one for test in tests for call in test.calls for one in call.values().values()]
    assert passed == ["sale"]


def test_an_object_of_which_only_the_class_is_known_has_no_test() -> None:
    alone, beside = calls("Cart"), calls("Cart", "Cart.add")

    assert written(alone) == []
    assert written(alone, beside) == [beside]


def test_an_object_that_only_tells_its_text_has_a_test_only_where_no_other_makes_one() -> None:
    alone, beside = calls("Cart", name="sale"), calls("Cart", "Cart.add", name="sale")

    def spelled(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        run, covered = executed(test, apart)
        name = test.calls[0].values().get("name", "")
        cart = Instance(Named("shop", "Cart"), (("__repr__", f"<Cart {name}>"),))
        results = [one if one.value == 1 else replace(one, value=cart) for one in run.results]
        return Run(results), covered

    found = [harvest_of(*one, execute=spelled).specimens for one in ([alone], [alone, beside])]
    assert [[one.unit.name for one in specimens] for specimens in found] == [
        ["Cart"],
        ["Cart.add"],
    ]


def test_a_failing_execution_costs_its_test_only() -> None:
    fence = Fence()

    tests = written(calls("Cart", "Cart.add"), calls("Cart", "broken"), fence=fence)

    assert [test.act.unit for test in tests] == ["shop:Cart.add"]
    assert [one.message for one in fence.mishaps.values()] == ["LookupError: broken"]


def shouted(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Cover whether "loud" is passed, which changes no text but a long one."""
    passed = test.act.values()
    is_loud = "loud" in passed
    text = str(passed.get("text", ""))
    value = text.upper() if is_loud and len(text) > 3 else text
    covered = {f"loud {is_loud}", *({"long"} if len(text) > 3 else ())}
    return Run([Result(End.RETURNED, 1), Result(End.RETURNED, value)]), frozenset(covered)


def test_an_option_that_changes_nothing_gets_values_with_which_it_does() -> None:
    idle = calls("Cart", "Cart.add", text="red", loud="yes")
    long = calls("Cart", "Cart.add", text="green", loud="yes")
    ((place, gene),) = [one for one in long.genes() if one[0] == (1, 1)]
    long = long.with_gene(place, gene.left_out())

    alone = harvest_of(idle, execute=shouted).specimens
    beside = harvest_of(idle, long, execute=shouted).specimens

    assert [(one.result.value, one.idle) for one in alone] == [("", {"loud"})]
    acting = [one for one in beside if "loud" in one.test.act.values()]
    assert [one.idle for one in acting] == [frozenset()]
    assert all(str(one.result.value).isupper() for one in acting)


def test_a_test_that_is_added_only_to_show_that_an_option_changes_nothing_goes() -> None:
    idle = calls("Cart", "Cart.add", text="red", loud="yes")
    both = idle, calls("Cart", "Cart.add", text="green", loud="yes")
    bare, long = (one.with_gene((1, 1), dict(one.genes())[1, 1].left_out()) for one in both)

    alone = harvest_of(bare, execute=shouted, detecting=[idle]).specimens
    beside = harvest_of(bare, long, execute=shouted, detecting=[idle]).specimens

    assert [one for one in alone if "loud" in one.test.act.values()] == []
    assert [one.result.value for one in beside if "loud" in one.test.act.values()] == ["GREEN"]


def replacing(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Replace one text by another in a third one; cover each option that is passed."""
    passed = {name: str(value) for name, value in test.act.values().items()}
    text = passed.get("text", "")
    value = text.replace(passed["old"], "new") if "old" in passed else text
    return Run([Result(End.RETURNED, value)]), frozenset({"text", *passed})


def cleaning(text: str, **options: str) -> UnitTest:
    given = [(name, OptionalGene(TextGene(current=one))) for name, one in options.items()]
    return UnitTest((UnitCall("shop:clean", (("text", TextGene(current=text)), *given)),))


def test_an_option_gets_a_word_of_the_text_in_which_it_is_looked_for() -> None:
    (one,) = harvest_of(cleaning("red blue", old="z"), execute=replacing).specimens

    passed = one.test.act.values()
    assert str(passed["old"]) in str(passed["text"])
    assert one.result.value != passed["text"]


def test_one_line_with_a_fault_has_one_test_whoever_calls_it() -> None:
    raised = Raised(Named("builtins", "KeyError"), "a", ("KeyError",), "shop.py", 7)

    def failing(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        results = [Result(End.RETURNED, 1), Result(End.RAISED, raised=raised)]
        return Run(results), frozenset({test.act.unit})

    tests = calls("Cart", "Cart.add"), calls("Cart", "Cart.clear")

    assert len(harvest_of(*tests, execute=failing).specimens) == 2
    assert len(harvest_of(*tests, execute=failing, fault="KeyError").specimens) == 1


def test_a_test_without_options_comes_before_those_with_them() -> None:
    with_option = calls("Cart", "Cart.add", text="green", loud="yes")
    ((place, gene),) = [one for one in with_option.genes() if one[0] == (1, 1)]
    bare = with_option.with_gene(place, gene.left_out())

    specimens = harvest_of(with_option, bare, execute=shouted).specimens

    assert ["loud" in one.test.act.values() for one in specimens] == [False, True]


def cleaned(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Remove hyphens; for an "x" and a "z" other code raises an error, "z" after one more line."""
    text = str(test.act.values()["number"])
    value = text.replace("-", "")
    ending = f"{STATUS} shop:clean returned {'what was given' if value == text else 'some'}"
    covered: set[TargetId] = {"code", *(("long",) if len(text) > 5 else ())}
    if "x" in text or "z" in text:
        raised = Raised(Named("builtins", "ValueError"), "x", ("ValueError",), "shop.py", 1)
        return Run([Result(End.RAISED, raised=raised)]), frozenset(
            {*covered, "branch shop.py:1 raised", *({"z"} & {*text})}
        )
    return Run([Result(End.RETURNED, value)]), frozenset({*covered, ending})


def clean(number: str) -> UnitTest:
    return UnitTest((UnitCall("shop:clean", (("number", TextGene(current=number)),)),))


def test_a_result_that_a_function_without_a_body_would_give_is_no_reason_for_a_test() -> None:
    specimens = harvest_of(clean("12"), clean("1-2"), execute=cleaned).specimens

    assert [one.result.value for one in specimens] == [""]
    assert all(one.test.act.values()["number"] == "-" for one in specimens)


def test_a_test_that_says_little_gives_way_to_values_that_people_would_pass() -> None:
    shown = ["978-0", "978-0-471"]

    (alone,) = harvest_of(clean("123456"), execute=cleaned).specimens
    (better,) = harvest_of(clean("123456"), execute=cleaned, shown=shown).specimens

    assert alone.test.act.values()["number"] == alone.result.value
    assert (better.test.act.values()["number"], better.result.value) == ("978-0-471", "9780471")


def test_an_error_of_other_code_gives_way_to_an_answer_that_covers_as_much() -> None:
    (better,) = harvest_of(clean("xxxxxx"), execute=cleaned, shown=["978-0-471"]).specimens
    (only,) = harvest_of(clean("zzzzzz"), execute=cleaned, shown=["978-0-471"]).specimens

    assert better.result.value == "9780471"
    assert only.result.end is End.RAISED


def test_an_example_of_a_docstring_is_written_where_no_test_of_its_unit_has_one() -> None:
    found = clean("1-2")
    documented = {clean("978-0"): "'9780'", clean("4-4"): "'4'", clean("5-5"): ""}

    specimens = harvest_of(found, execute=cleaned, documented=documented).specimens
    among = harvest_of(
        clean("978-0"), execute=cleaned, documented=documented, shown=["978-0"]
    ).specimens

    assert [one.result.value for one in specimens] == ["", "9780"]
    assert [one.result.value for one in among] == ["9780"]


def test_an_argument_that_is_shown_beside_a_unit_is_weighed_where_nothing_shows_its_type() -> None:
    guessed, beside = cleaning("a"), cleaning("sale")

    def answering(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        text = str(test.act.values().get("text", ""))
        value = 1 if text == "sale" else 0
        return Run([Result(End.RETURNED, value)]), frozenset({f"{STATUS} shop:clean returned some"})

    shown = {beside: ""}
    sure = harvest_of(guessed, execute=answering, documented=shown).specimens
    places = [(0, 0)]
    doubtful = harvest_of(guessed, execute=answering, documented=shown, unsure=places).specimens

    assert [one.result.value for one in sure] == [0]
    assert 1 in [one.result.value for one in doubtful]


def test_fresh_tests_of_new_code_are_written_too() -> None:
    given = [clean("1-2")], [clean("12345678"), clean("3-4")]

    specimens = harvest_of(*given[0], execute=cleaned, further=given[1]).specimens

    assert len(specimens) == 2
    assert any(len(str(one.test.act.values()["number"])) > 5 for one in specimens)


def test_a_test_that_varies_gives_way_to_another_that_covers_as_much() -> None:
    ends = iter(range(1000))

    def varying(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        run, covered = cleaned(test, apart)
        is_varying = test.act.values()["number"] == "-"
        return (Run([Result(End.RETURNED, next(ends))]) if is_varying else run), covered

    (steady,) = harvest_of(clean("1-2"), clean("1-22"), execute=varying).specimens

    assert steady.test == clean("1-2")


def test_several_tests_take_the_place_of_one_that_varies_where_none_covers_as_much() -> None:
    lines = {"a1": {"one", "chance"}, "b22": {"two"}, "a1b22": {"one", "two", "chance"}}
    lines |= {"c1": {"one"}, "c1c": {"one"}}
    ends = iter(range(1000))

    def varying(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        number = str(test.act.values()["number"])
        found = frozenset(f"line numbers.py:{one}" for one in lines.get(number, ()))
        value = next(ends) if any(one.endswith("chance") for one in found) else number
        return Run([Result(End.RETURNED, value)]), found

    specimens = harvest_of(*map(clean, lines), execute=varying).specimens

    assert {one.test.act.values()["number"] for one in specimens} == {"b22", "c1"}


def test_calls_with_equal_arguments_are_written_once() -> None:
    same = UnitTest((UnitCall("shop:clean", (("number", ConstantGene("4-4")),)),))
    documented = {same: "'44'"}

    specimens = harvest_of(clean("4-4"), execute=cleaned, documented=documented, shown=["4-4"])

    assert [one.result.value for one in specimens.specimens] == ["44"]


def test_a_method_without_an_effect_gets_an_ordinary_value_with_which_it_has_one() -> None:
    def painted(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        name = str(test.act.values().get("name", ""))
        changed = (("self", name),) if len(name) > 3 else ()
        results = [Result(End.RETURNED, EMPTY), Result(End.RETURNED, changed=changed)]
        return Run(results), frozenset({"code", f"{STATUS} shop:Cart.add returned None"})

    gene = TextGene(current="")
    test = UnitTest((UnitCall("shop:Cart"), UnitCall("shop:Cart.add", (("name", gene),))))

    (specimen,) = harvest_of(test, execute=painted).specimens

    assert specimen.result.changed == (("self", "hello world"),)


def refused(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Raise for the text "bad", whether "loud" is passed or not, which has a line of its own."""
    passed = test.act.values()
    covered = {"loud"} if "loud" in passed else set()
    if passed.get("text") != "bad":
        return Run([Result(End.RETURNED, 5)]), frozenset({f"{STATUS} returned", *covered})
    raised = Raised(Named("shop", "Bad"), "it is bad", ("Bad",), "shop.py", 3)
    return Run([Result(End.RAISED, raised=raised)]), frozenset({f"{STATUS} Bad", *covered})


def test_an_option_that_an_expected_error_does_not_need_goes_though_it_covers_a_line() -> None:
    (alone,) = harvest_of(calls("clean", text="bad", loud="yes"), execute=refused).specimens

    assert alone.test.act.values() == {"text": "bad"}


def test_what_an_answer_covers_is_no_reason_for_an_option_of_an_expected_error() -> None:
    bad, good = calls("clean", text="bad", loud="yes"), calls("clean", text="good", loud="yes")

    found = harvest_of(bad, good, execute=refused).specimens

    passed = {one.result.end: set(one.test.act.values()) for one in found}
    assert passed == {End.RETURNED: {"loud"}, End.RAISED: {"text"}}


def test_a_call_on_the_way_goes_without_which_the_tested_call_does_the_same() -> None:
    def fragile(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        """Lose the process of each test that ends with adding."""
        run, covered = executed(test, apart)
        harm = "it ended its process" if test.act.unit.endswith("add") else ""
        return Run(run.results, harm=harm), covered

    long = calls("Cart", "Cart.add", "Cart.clear")
    found = [one.test for one in harvest_of(long, execute=fragile).specimens]

    assert [[call.unit for call in test.calls] for test in found] == [
        ["shop:Cart", "shop:Cart.clear"]
    ]


def test_an_option_acts_only_where_an_asserted_attribute_differs_without_it() -> None:
    def made(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        """Tell of the name; where the colour is, that is of unknown kind and cannot be told."""
        values = test.act.values()
        held = {"label": str(values.get("name", "")).upper()}
        held |= {} if "colour" in values else {"colours": ""}
        value = Instance(Named("shop", "Cart"), tuple(held.items()))
        covered = {*values, f"{STATUS} shop made"}
        return Run([Result(End.RETURNED, value)]), frozenset(covered)

    (found,) = harvest_of(calls("Cart", name="sale", colour="red"), execute=made).specimens

    assert found.test.act.values().keys() == {"name", "colour"}
    assert found.idle == {"colour"}
