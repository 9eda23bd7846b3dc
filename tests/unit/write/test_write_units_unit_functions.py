"""The texts of tests of units, from calls that were really executed."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import asynccontextmanager
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace
from datetime import date
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.little_said import without_echo
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_expectations import match_of
from pytest_evosearch.write.units.unit_expectations import pattern_of
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_names import longer_names
from pytest_evosearch.write.units.unit_names import name_of_test
from pytest_evosearch.write.units.unit_names import names_with_options
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen
from pytest_evosearch.write.units.unit_suite import UnitBrief
from pytest_evosearch.write.units.unit_suite import write_units
from pytest_evosearch.write.units.unit_tables import table_lines
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict

Call = tuple[str, dict[str, object]]


@contextmanager
def renamed(name: str, log: list[str]) -> Iterator[str]:
    if not name:
        raise ValueError("no name")
    yield name.upper()
    log.append("end")


@asynccontextmanager
async def connected(host: str) -> AsyncIterator[str]:
    yield f"connection to {host}"


async def countdown(start: int) -> AsyncIterator[int]:
    while start:
        yield start
        start -= 1


def numbers(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


class Lock:
    def __init__(self) -> None:
        self.is_held = False

    def __enter__(self) -> Lock:  # noqa: PYI034 (`Self` is not in Python 3.10)
        self.is_held = True
        return self

    def __exit__(self, *_error: object) -> None:
        self.is_held = False


class Basket:
    """A container that keeps its elements to itself."""

    def __init__(self, *names: str) -> None:
        self._names = list(names)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Basket) and self._names == other._names

    def __add__(self, other: Basket) -> Basket:
        return Basket(*self._names, *other._names)

    def __getitem__(self, at: int) -> str:
        return self._names[at]

    def __setitem__(self, at: int, name: str) -> None:
        self._names[at] = name

    def upper(self) -> Iterator[str]:
        return map(str.upper, self._names)

    def remove(self, name: str) -> None:
        if name in self._names:
            self._names.remove(name)


def mode() -> str:
    return "debug" if os.environ.get("SHOP_DEBUG") == "1" else "plain"


async def fetched(name: str) -> str:
    return name.upper()


class Door:
    def __init__(self, name: str) -> None:
        self.name = name

    async def open(self) -> None:
        self.name += " (open)"

    async def state(self) -> str:
        return self.name


BASKET: Call = ("Basket", {"names": ["a", "b"]})
SAME = Made(Named(__name__, "Basket"), ("a", "b"))
METRE = Made(Named(__name__, "Length"), (1.0,))


def specimen_of(*calls: Call) -> UnitSpecimen:
    units = by_key(units_of([__name__]))
    test = UnitTest(
        tuple(
            UnitCall(
                f"{__name__}:{name}",
                tuple((key, ConstantGene(one)) for key, one in arguments.items()),
            )
            for name, arguments in calls
        )
    )
    result = Calls(units, lambda _file: __file__, tells=True).perform(test.sent())[-1]
    return UnitSpecimen(test, units, result)


def body_of(*calls: Call) -> list[str]:
    function = UnitFunction(specimen_of(*calls), Spelling(__name__), Layout())
    lines = function.lines("test")
    assert lines is not None
    return [line[4:] for line in lines[1:]]


@pytest.mark.parametrize(
    ("calls", "body"),
    [
        (
            [("renamed", {"name": "a", "log": []})],
            [
                "log = []",
                'with renamed("a", log) as value:',
                '    assert value == "A"',
                "",
                'assert log == ["end"]',
            ],
        ),
        (
            [("renamed", {"name": "", "log": []})],
            [
                'with pytest.raises(ValueError, match="no name"):',
                '    with renamed("", []):',
                "        pass",
            ],
        ),
        (
            [("Lock", {}), ("Lock.__enter__", {})],
            ["lock = Lock()", "", "with lock:", "    assert lock.is_held is True"],
        ),
        (
            [("connected", {"host": "a"})],
            [
                "async def used():",
                '    async with connected("a") as value:',
                "        return value",
                "",
                'assert asyncio.run(used()) == "connection to a"',
            ],
        ),
        (
            [("countdown", {"start": 2})],
            [
                "async def used():",
                "    return [one async for one in countdown(2)]",
                "",
                "assert asyncio.run(used()) == [2, 1]",
            ],
        ),
        (
            [("numbers", {"first": 1})],
            ["assert list(islice(numbers(1), 5)) == [1, 2, 3, 4, 5]"],
        ),
    ],
)
def test_contexts_and_elements_are_used_as_people_write_them(
    calls: list[Call], body: list[str]
) -> None:
    assert body_of(*calls) == body


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        ("__len__", {}, ["assert len(basket) == 2"]),
        ("__iter__", {}, ['assert list(basket) == ["a", "b"]']),
        ("__contains__", {"name": "a"}, ['assert "a" in basket']),
        ("__contains__", {"name": "c"}, ['assert "c" not in basket']),
        ("__eq__", {"other": SAME}, ['assert basket == Basket("a", "b")']),
        ("__eq__", {"other": 1}, ["assert not (basket == 1)"]),
        ("__getitem__", {"at": 1}, ['assert basket[1] == "b"']),
        ("__getitem__", {"at": 2}, ["with pytest.raises(IndexError):", "    basket[2]"]),
        (
            "__setitem__",
            {"at": 0, "name": "c"},
            ['basket[0] = "c"', "", 'assert list(basket) == ["c", "b"]'],
        ),
        ("upper", {}, ['assert list(basket.upper()) == ["A", "B"]']),
        ("remove", {"name": "c"}, ['assert basket.remove("c") is None']),
        (
            "__add__",
            {"other": SAME},
            [
                'result = basket + Basket("a", "b")',
                "",
                "assert isinstance(result, Basket)",
                'assert list(result) == ["a", "b", "a", "b"]',
            ],
        ),
    ],
)
def test_operators_and_containers_are_asserted_as_people_use_them(
    name: str, arguments: dict[str, object], lines: list[str]
) -> None:
    body = body_of(BASKET, (f"Basket.{name}", arguments))

    assert body[0] == 'basket = Basket("a", "b")'
    assert [line for line in body[1:] if line] == [line for line in lines if line]


@dataclass
class Length:
    """A number of metres that goes on where people calculate with it."""

    metres: float

    def __round__(self, digits: int | None = None) -> float:
        return round(self.metres, digits)

    def __floor__(self) -> int:
        return int(self.metres)

    def __rtruediv__(self, whole: float) -> float:
        return whole / self.metres

    def __divmod__(self, other: Length) -> tuple[float, float]:
        return divmod(self.metres, other.metres)

    def __isub__(self, other: Length) -> Length:  # noqa: PYI034 (`Self` is not in Python 3.10)
        self.metres -= other.metres
        return self

    def __iadd__(self, other: Length) -> Length:  # noqa: PYI034
        return Length(self.metres + other.metres)


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        ("__round__", {}, ["assert round(length) == 2"]),
        ("__round__", {"digits": 1}, ["assert round(length, 1) == 2.5"]),
        ("__floor__", {}, ["assert math.floor(length) == 2"]),
        ("__rtruediv__", {"whole": 5.0}, ["assert (5.0 / length) == 2.0"]),
        ("__divmod__", {"other": METRE}, ["assert divmod(length, Length(1.0)) == (2.0, 0.5)"]),
        (
            "__isub__",
            {"other": METRE},
            ["length -= Length(1.0)", "assert length == Length(metres=1.5)"],
        ),
        (
            "__iadd__",
            {"other": METRE},
            ["length += Length(1.0)", "assert length == Length(metres=3.5)"],
        ),
    ],
)
def test_numbers_are_calculated_with_as_people_do(
    name: str, arguments: dict[str, object], lines: list[str]
) -> None:
    body = body_of(("Length", {"metres": 2.5}), (f"Length.{name}", arguments))

    assert [line for line in body[1:] if line] == lines


def greeting(reader: Any) -> str:
    return str(reader.get("name", default="Ann"))


def test_a_method_of_a_made_object_takes_keywords_as_it_did_in_the_search() -> None:
    reader = Made(Named("types", "SimpleNamespace"), (), (("get", Returning("Bob")),))

    assert body_of(("greeting", {"reader": reader})) == [
        'assert greeting(SimpleNamespace(get=lambda *args, **kwargs: "Bob")) == "Bob"'
    ]


def page(title: str) -> str:
    rows = "\n".join(f"<tr><td>{number}</td></tr>" for number in range(200))
    return f"<!DOCTYPE html>\n<h1>{title}</h1>\n{rows}\n</html>"


def test_a_long_text_is_told_by_its_first_line_its_last_one_and_their_number() -> None:
    assert body_of(("page", {"title": "Books"})) == [
        'result = page("Books")',
        "",
        "assert len(result.splitlines()) == 203",
        'assert result.splitlines()[0] == "<!DOCTYPE html>"',
        'assert result.splitlines()[-1] == "</html>"',
    ]


def test_an_asynchronous_generator_without_end_is_cut_off() -> None:
    units = by_key(units_of([f"{__name__}:countdown"]))

    sent = [(f"{__name__}:countdown", {"start": -1})]
    (result,) = Calls(units, lambda _file: None, tells=True).perform(sent)

    assert result.end is End.CUT_OFF


class Version:
    def __init__(self, major: int, build: str = "") -> None:
        self._major, self._build = major, build

    @property
    def major(self) -> int:
        return self._major

    def next(self) -> Version:
        return Version(self._major + 1)


class Amount:
    def __init__(self, number: int) -> None:
        self._number = number

    def __str__(self) -> str:
        return f"{self._number} EUR"

    def add(self, number: int) -> None:
        self._number += number


def test_properties_and_the_text_of_closed_objects_are_asserted() -> None:
    assert (
        body_of(("Version", {"major": 2}), ("Version.next", {}))[-1] == "assert result.major == 3"
    )
    assert body_of(("Amount", {"number": 2}))[-1] == 'assert str(result) == "2 EUR"'


def test_what_a_method_changes_in_a_closed_object_is_asserted() -> None:
    calls: list[Call] = [("Amount", {"number": 2}), ("Amount.add", {"number": 3})]

    assert body_of(*calls)[-3:] == ["amount.add(3)", "", 'assert str(amount) == "5 EUR"']
    assert name_of_test(specimen_of(*calls)) == "test_amount_add"


def sorted_in_place(names: list[str]) -> list[str]:
    names.sort()
    return names


@pytest.mark.parametrize(
    ("names", "body"),
    [
        (["a", "b"], ['assert sorted_in_place(["a", "b"]) == ["a", "b"]']),
        (
            ["b", "a"],
            [
                'names = ["b", "a"]',
                "assert sorted_in_place(names) is names",
                'assert names == ["a", "b"]',
            ],
        ),
    ],
)
def test_what_a_returned_argument_holds_is_asserted(names: list[str], body: list[str]) -> None:
    assert body_of(("sorted_in_place", {"names": names})) == body


def shown(
    names: list[str], sorted_by: str = "", limit: int = 5, numbered: bool = True
) -> list[str]:
    if limit < 0:
        raise ValueError("limit")
    return sorted(names, key=len if sorted_by == "length" else None)[:limit]


@pytest.mark.parametrize(
    ("arguments", "longer"),
    [
        ({"names": ["a"]}, []),
        ({"names": []}, ["test_shown_is_empty"]),
        (
            {"names": [], "sorted_by": "length", "limit": 2},
            ["test_shown_with_sorted_by_and_limit", "test_shown_is_empty"],
        ),
        (
            {"names": ["a"], "limit": 2, "numbered": False},
            ["test_shown_with_limit_and_without_numbered"],
        ),
        ({"names": [], "limit": -1}, ["test_shown_with_limit_raises_value_error"]),
    ],
)
def test_options_and_empty_results_tell_tests_apart(
    arguments: dict[str, object], longer: list[str]
) -> None:
    assert longer_names(specimen_of(("shown", arguments))) == longer


class basket:  # noqa: N801 (as in the standard library)
    def __init__(self, name: str) -> None:
        self.name = name

    def upper(self) -> str:
        return self.name.upper()


def test_no_variable_hides_what_a_test_calls() -> None:
    specimen = specimen_of(("basket", {"name": "a"}), ("basket.upper", {}))
    spelling = Spelling(__name__, {"basket": __name__})

    lines = UnitFunction(specimen, spelling, Layout()).lines("test")

    assert lines == [
        "def test():",
        '    basket_ = basket("a")',
        '    assert basket_.upper() == "A"',
    ]


def indent(text: str, indent: str) -> str:
    return indent + text


def test_no_column_hides_what_a_test_calls() -> None:
    rows = [specimen_of(("indent", {"text": "a", "indent": one})) for one in (" ", ">")]
    spelling = Spelling(__name__, {"indent": __name__})

    lines = table_lines("test", rows, spelling, Layout())

    assert lines[-1] == '    assert indent("a", indent_indent) == expected'


def test_a_message_that_all_rows_have_is_no_column() -> None:
    arguments = [{"names": ["a"], "limit": -1}, {"names": ["b"], "limit": -2}]
    rows = [specimen_of(("shown", one)) for one in arguments]

    lines = table_lines("test", rows, Spelling(__name__), Layout())

    assert lines == [
        '@pytest.mark.parametrize(("names", "limit"), [(["a"], -1), (["b"], -2)])',
        "def test(names, limit):",
        '    with pytest.raises(ValueError, match="limit"):',
        "        shown(names, limit=limit)",
    ]


def test_a_name_lists_options_that_act_and_says_also_where_none_does() -> None:
    specimen = specimen_of(("shown", {"names": ["a"], "limit": 3}))

    assert names_with_options(specimen) == ["test_shown_with_limit"]
    idle = replace(specimen, idle=frozenset({"limit"}))
    assert names_with_options(idle) == ["test_shown_also_with_limit"]


def test_what_an_object_got_and_what_was_called_before_tell_tests_apart() -> None:
    after = specimen_of(BASKET, ("Basket.remove", {"name": "a"}), ("Basket.__len__", {}))
    built = specimen_of(("Version", {"major": 1, "build": "b"}), ("Version.next", {}))

    assert longer_names(after)[0] == "test_basket_len_after_remove"
    assert longer_names(built)[0] == "test_version_next_of_build"


def numbered(names: list[str], first: int = 1, step: int = 1) -> list[str]:
    names[:] = [f"{at}" for at in range(first, first + step * len(names), step)]
    return names


def test_a_change_tells_tests_apart_whose_options_are_equal() -> None:
    specimen = specimen_of(("numbered", {"names": ["a"], "first": 2}))

    assert longer_names(specimen) == [
        *("test_numbered_with_first", "test_numbered_changes_names"),
        "test_numbered_with_first_changes_names",
    ]


def is_short(text: str) -> bool:
    return len(text) < 3


def test_a_table_with_both_truths_has_the_name_of_its_unit(tmp_path: Path) -> None:
    specimens = [specimen_of(("is_short", {"text": text})) for text in ("a", "long")]
    brief = UnitBrief(tmp_path / "tests", tmp_path, "pytest", "run", "1")

    written = write_units(specimens, brief, None)

    assert {one.partition("::")[2] for one in written.test_of.values()} == {"test_is_short"}


def test_no_file_stays_of_a_module_whose_tests_were_all_dropped(tmp_path: Path) -> None:
    specimens = [specimen_of(("is_short", {"text": text})) for text in ("a", "long")]
    brief = UnitBrief(tmp_path / "tests", tmp_path, "pytest", "run", "1")

    def cannot_be_collected(folder: Path, _tests: int) -> Verdict:
        (file,) = folder.glob("test_*.py")
        return Verdict((Failure(file.name, "", None, "cannot be collected: KeyError: 'HOME'"),))

    written = write_units(specimens, brief, cannot_be_collected)

    assert written.test_of == {}
    assert list(tmp_path.rglob("*.py")) == []


def test_an_option_that_acts_is_in_the_name_also_where_no_other_test_has_the_plain_one(
    tmp_path: Path,
) -> None:
    specimen = specimen_of(("shown", {"names": ["a"], "limit": 3}))
    brief = UnitBrief(tmp_path / "tests", tmp_path, "pytest", "run", "1")

    acting = write_units([specimen], brief, None)
    idle = write_units([replace(specimen, idle=frozenset({"limit"}))], brief, None)

    assert acting.test_of[0].endswith("::test_shown_with_limit")
    assert idle.test_of[0].endswith("::test_shown")


def test_only_messages_of_the_project_are_asserted() -> None:
    raised = Raised(Named("builtins", "ValueError"), "invalid literal", is_own=True)

    assert pattern_of(raised) == '"invalid literal"'
    assert pattern_of(replace(raised, is_own=False)) == ""


def test_a_long_message_is_cut_after_a_word() -> None:
    assert match_of("no " + "very " * 20 + "long") == f'"no{" very" * 17}"'
    assert match_of("x" * 100) == f'"{"x" * 90}"'


class Refused(Exception):
    def __init__(self, text: str, **options: object) -> None:
        self.text = text
        vars(self).update(options)


def checked(text: str, strict: bool = False) -> bool | Refused:
    return len(text) > 2 or Refused(text, strict=strict)


class Label:
    def __init__(self, text: str) -> None:
        self.text, self.length, self.rest = text, len(text), None if "-" not in text else text[1:]


def label_of(text: str) -> Label:
    return Label(text.strip())


def test_refusals_that_are_returned_are_told_in_one_table(tmp_path: Path) -> None:
    specimens = [specimen_of(("checked", {"text": text})) for text in ("a", "", "long")]
    specimens = [replace(one, result=without_echo(one.test, one.result)) for one in specimens]
    brief = UnitBrief(tmp_path / "tests", tmp_path, "pytest", "run", "1")

    written = write_units(specimens, brief, None)

    names = [one.partition("::")[2] for one in written.test_of.values()]
    assert names == ["test_checked_returns_refused"] * 2 + ["test_checked_is_true"]
    ((file),) = written.files
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert 'parametrize("text", ["a", ""])' in text


def test_what_a_refusal_repeats_of_its_arguments_is_no_difference() -> None:
    plain, strict = (
        specimen_of(("checked", {"text": "a", **options}))
        for options in ({"strict": False}, {"strict": True})
    )

    told = [without_echo(one.test, one.result) for one in (plain, strict)]

    assert repr(plain.result) != repr(strict.result)
    assert repr(told[0]) == repr(told[1])


def test_objects_of_one_class_are_one_table_with_the_attributes_that_differ() -> None:
    rows = [specimen_of(("label_of", {"text": text})) for text in (" a", "b-")]

    lines = table_lines("test", rows, Spelling(__name__), Layout())

    assert lines[-6:] == [
        "    result = label_of(text)",
        "",
        "    assert isinstance(result, Label)",
        "    assert result.text == expected_text",
        "    assert result.length == length",
        "    assert result.rest == rest",
    ]
    assert lines[-7] == "def test(text, expected_text, length, rest):"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "test_label_of_of_empty_text"),
        ("A b-", "test_label_of_of_a_b"),
        ("x" * 50, ""),
        ("-", ""),
    ],
)
def test_what_is_passed_tells_tests_apart_that_end_alike(text: str, name: str) -> None:
    assert longer_names(specimen_of(("label_of", {"text": text}))) == ([name] if name else [])


class Release:
    """A class whose objects are equal if their texts are."""

    def __init__(self, text: str) -> None:
        self._text = text.strip("v")

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


def split_release(text: str) -> tuple[str, Release]:
    name, _dash, version = text.partition("-")
    return name, Release(version)


def test_an_object_inside_a_result_is_compared_with_one_that_its_text_makes() -> None:
    assert body_of(("split_release", {"text": "shop-v1.2"})) == [
        'assert split_release("shop-v1.2") == ("shop", Release("1.2"))'
    ]


class Both:
    """A class whose `repr` is the call that makes an equal object."""

    def __init__(self, *rules: object) -> None:
        self._rules = rules

    def __repr__(self) -> str:
        return f"Both({', '.join(map(repr, self._rules))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Both) and self._rules == other._rules

    __hash__ = None  # type: ignore[assignment]


def both_of(count: int) -> Both:
    return Both(Both(), count)


def test_an_object_that_shows_nothing_is_compared_with_one_that_its_repr_makes() -> None:
    assert body_of(("both_of", {"count": 3})) == ["assert both_of(3) == Both(Both(), 3)"]


def age(born: int) -> int:
    return date.today().year - born


def stamp() -> str:
    return f"{datetime.now():%H:%M} {time.time():.0f}"


def picked(names: list[str]) -> str:
    return _any_of(names)


def _any_of(names: list[str]) -> str:
    return random.choice(names)


def announced(name: str, report: Callable[[str], int]) -> None:
    report(name.upper())


def test_what_is_read_from_the_clock_and_from_chance_is_fixed_for_the_test() -> None:
    units = by_key(units_of([__name__]))
    genes = Arguments(units).call(units[f"{__name__}:age"]).values()
    today = Made(Named("datetime", "date"), (2024, 1, 31))
    assert genes[f"{__name__}.date.today"] == today
    fixed = {f"{__name__}.date.today": today}

    assert body_of(("age", {"born": 2000, **fixed})) == [
        "class FixedDate(date):",
        "    @classmethod",
        "    def today(cls):",
        "        return cls(2024, 1, 31)",
        "",
        f'monkeypatch.setattr("{__name__}.date", FixedDate)',
        "assert age(2000) == 24",
    ]
    values = {one.name: None for one in units[f"{__name__}:stamp"].parameters}
    assert [*values] == [f"{__name__}.datetime.now", f"{__name__}.time.time"]
    now = Made(Named("datetime", "datetime"), (2024, 1, 31, 12, 30))
    given = dict(zip(values, (now, Returning(0.0)), strict=True))
    assert body_of(("stamp", given))[-2:] == [
        f'monkeypatch.setattr("{__name__}.time.time", lambda: 0.0)',
        'assert stamp() == "12:30 0"',
    ]
    assert date.today() != date(2024, 1, 31)
    assert longer_names(specimen_of(("stamp", given)))[0] == "test_stamp_at_12_30"


def test_chance_that_a_helper_reads_is_fixed_too() -> None:
    first = Made(Named("operator", "itemgetter"), (0,))

    assert body_of(("picked", {"names": ["a", "b"], f"{__name__}.random.choice": first})) == [
        f'monkeypatch.setattr("{__name__}.random.choice", itemgetter(0))',
        'assert picked(["a", "b"]) == "a"',
    ]


class Letters:
    def __init__(self, text: str) -> None:
        self._rest = list(text)

    def __iter__(self) -> Letters:
        return self

    def __next__(self) -> str:
        return self._rest.pop()


def test_an_object_that_is_its_own_iterator_is_asked_for_it() -> None:
    assert body_of(("Letters", {"text": "ab"}), ("Letters.__iter__", {}))[-1] == (
        "assert iter(letters) is letters"
    )


def test_the_call_of_a_function_that_nothing_else_shows_is_asserted() -> None:
    assert body_of(("announced", {"name": "a", "report": Returning(5)})) == [
        "report = Mock(return_value=5)",
        'announced("a", report)',
        'report.assert_called_once_with("A")',
    ]


def counted(text: str) -> Counter[str]:
    return Counter(text)


def test_a_dictionary_of_the_standard_library_is_compared_with_a_plain_one() -> None:
    assert body_of(("counted", {"text": "aab"})) == ['assert counted("aab") == {"a": 2, "b": 1}']


def test_a_variable_of_the_environment_is_set_for_the_test_alone() -> None:
    function = UnitFunction(
        specimen_of(("mode", {"SHOP_DEBUG": "1"})), Spelling(__name__), Layout()
    )

    assert function.lines("test") == [
        "def test(monkeypatch):",
        '    monkeypatch.setenv("SHOP_DEBUG", "1")',
        '    assert mode() == "debug"',
    ]
    assert "SHOP_DEBUG" not in os.environ


def test_a_test_that_writes_files_does_so_in_a_folder_of_its_own() -> None:
    specimen = specimen_of(("mode", {}))
    files = (("a/notes.txt", "hello\n"), ("large", None))
    specimen = replace(specimen, result=replace(specimen.result, files=files))

    assert UnitFunction(specimen, Spelling(__name__), Layout()).lines("test") == [
        "def test(monkeypatch, tmp_path):",
        "    monkeypatch.chdir(tmp_path)",
        "",
        '    assert mode() == "plain"',
        "",
        '    assert (tmp_path / "a/notes.txt").read_text() == "hello\\n"',
        '    assert (tmp_path / "large").is_file()',
    ]


def test_coroutines_are_awaited_as_the_tests_of_the_project_are() -> None:
    calls: tuple[Call, ...] = (("Door", {"name": "front"}), ("Door.open", {}), ("Door.state", {}))
    spelling = Spelling(__name__, mark="asyncio")

    awaited = UnitFunction(specimen_of(*calls), spelling, Layout()).lines("test")
    alone = UnitFunction(specimen_of(*calls), Spelling(__name__), Layout()).lines("test")

    assert spelling.awaits
    assert awaited is not None
    assert awaited[1:] == [
        '    door = Door("front")',
        "    await door.open()",
        '    assert await door.state() == "front (open)"',
    ]
    assert alone is not None
    assert alone[2:] == [
        "    asyncio.run(door.open())",
        '    assert asyncio.run(door.state()) == "front (open)"',
    ]


class Token:
    def __init__(self, text: str, flag: str | None = None) -> None:
        self._text = text
        self.flag = flag

    def __repr__(self) -> str:
        return f"<{self._text}>"


def tokens(text: str) -> list[Token]:
    return [Token(one) for one in text.split()]


def test_objects_in_a_list_that_show_nothing_else_are_told_by_their_own_text() -> None:
    assert [line.strip() for line in body_of(("tokens", {"text": "a"})) if "repr" in line] == [
        'assert repr(result[0]) == "<a>"'
    ]


class Event:
    pass


class Machine:
    def __init__(self, name: str) -> None:
        self.events: dict[str, object] = {}
        self.names = [name]

    def register(self, name: str) -> None:
        self.events[name] = Event()

    def rename(self, name: str) -> None:
        self.events[name] = Event()
        self.names.append(name)


def test_a_change_that_no_assertion_shows_is_none() -> None:
    calls: list[Call] = [("Machine", {"name": "a"}), ("Machine.register", {"name": "b"})]

    assert specimen_of(*calls).result.changed == ()


def test_a_name_says_of_changes_what_is_asserted() -> None:
    calls: list[Call] = [("Machine", {"name": "a"}), ("Machine.rename", {"name": "b"})]

    assert name_of_test(specimen_of(*calls)) == "test_machine_rename_changes_names"
    assert body_of(*calls)[-1] == 'assert machine.names == ["a", "b"]'


class Settings(dict[str, int]):
    def copy(self) -> Settings:
        return Settings(self)

    def plain(self) -> dict[str, int]:
        return dict(self)

    def __copy__(self) -> Settings:
        return Settings(self)


def settings_of(values: dict[str, int]) -> Settings:
    return Settings(values)


def copied(values: dict[str, int]) -> dict[str, int]:
    return dict(values)


def test_a_result_that_looks_like_its_object_or_an_argument_is_told_from_it() -> None:
    made: Call = ("Settings", {})
    assert body_of(made, ("Settings.copy", {}))[-2:] == [
        "assert result == {}",
        "assert result is not settings",
    ]
    assert body_of(made, ("Settings.plain", {}))[-1] == "assert type(result) is dict"
    assert body_of(made, ("Settings.__copy__", {}))[-4:] == [
        "result = copy.copy(settings)",
        "",
        "assert result == {}",
        "assert result is not settings",
    ]
    assert body_of(("settings_of", {"values": {"a": 1}}))[-2:] == [
        'assert result == {"a": 1}',
        "assert isinstance(result, Settings)",
    ]
    assert body_of(("copied", {"values": {"a": 1}})) == ['assert copied({"a": 1}) == {"a": 1}']
    assert body_of(("copied", {"values": {"a": [1]}})) == [
        'values = {"a": [1]}',
        "result = copied(values)",
        "",
        'assert result == {"a": [1]}',
        "assert result is not values",
    ]


@pytest.mark.parametrize(
    ("further", "tests"), [((), 1), ((f"{STATUS} negative",), 1), (("branch of its own",), 2)]
)
def test_a_second_test_of_the_same_name_is_written_only_for_code_of_its_own(
    further: tuple[str, ...], tests: int, tmp_path: Path
) -> None:
    calls: list[Call] = [("Amount", {"number": 2}), ("Amount.add", {"number": 2})]
    first = replace(specimen_of(*calls), targets=frozenset({"branch"}))
    second = replace(first, targets=frozenset({"branch", *further}))
    brief = UnitBrief(tmp_path / "tests", tmp_path, "pytest", "run", "1")
    long = name_of_test(first), *longer_names(first)
    specimens = [*[first] * len(long), second]

    written = write_units(specimens, brief, None)

    assert len(written.test_of) == len(long) + tests - 1
    assert len(written.dropped) == 2 - tests
