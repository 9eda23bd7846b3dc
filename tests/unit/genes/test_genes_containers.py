from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.genes.visit import leaves

PERSON = ObjectGene(
    (
        Field("name", TextGene(current="Ann")),
        Field.optional("tags", ArrayGene(TextGene(), elements=(TextGene(current="x"),))),
        Field("boss", NullableGene(ObjectGene((Field("age", IntegerGene(current=3)),)))),
    )
)


def test_objects_hold_what_is_switched_on() -> None:
    off = replaced(PERSON, ("tags",), OptionalGene(TextGene(), active=False))
    assert PERSON.value() == {"name": "Ann", "tags": ["x"], "boss": {"age": 3}}
    assert off.value() == {"name": "Ann", "boss": {"age": 3}}


def test_value_paths_step_over_wrappers() -> None:
    paths = {value_path: gene_path for value_path, gene_path, _gene in leaves(PERSON)}

    assert paths == {
        ("name",): ("name",),
        ("tags", 0): ("tags", "*", 0),
        ("boss", "age"): ("boss", "*", "age"),
    }
    assert find(PERSON, ("boss", "age")) == ("boss", "*", "age")
    assert find(PERSON, ("boss", "name")) is None


def test_absent_elements_leave_no_gap() -> None:
    off = OptionalGene(TextGene(), active=False)
    gene = ArrayGene(TextGene(), elements=(off, TextGene(current="x"), off, TextGene(current="y")))

    assert gene.value() == ["x", "y"]
    assert [(value_path, gene_path) for value_path, gene_path, _leaf in leaves(gene)] == [
        ((0,), (1,)),
        ((1,), (3,)),
    ]


def test_leaves_of_large_and_deep_trees_are_all_mutated() -> None:
    deep: Gene = IntegerGene()
    for level in range(6):
        deep = ObjectGene((Field(f"level{level}", deep),))
    wide = [Field(f"field{n}", IntegerGene()) for n in range(20)]
    root = ObjectGene((*wide, Field("deep", deep)))
    rng = Random(1)
    changed = Counter(
        path
        for _ in range(2000)
        for path, _gene_path, leaf in leaves(root.mutate(rng))
        if leaf.value() != 0
    )

    assert len(changed) == 21
    assert min(changed.values()) > max(changed.values()) / 3


def test_objects_adopt_mappings_whatever_is_in_them() -> None:
    adopted = PERSON.adopt({"name": 12, "boss": None, "extra": [1, "a"]})
    assert adopted.value() == {"name": "12", "boss": None, "extra": [1, "a"]}
    assert PERSON.adopt([1]) is None


def test_objects_shed_what_is_optional_first() -> None:
    assert next(PERSON.simpler()).value() == {"name": "Ann", "boss": {"age": 3}}


def test_what_an_example_sends_is_left_out_bit_by_bit() -> None:
    order = gene_for({"book": 1, "copies": 10, "to": {"city": "Bonn", "zip": "53111"}})
    simpler = [gene.value() for gene in order.simpler()]
    assert simpler[:4] == [
        {},
        {"copies": 10, "to": {"city": "Bonn", "zip": "53111"}},
        {"book": 1, "to": {"city": "Bonn", "zip": "53111"}},
        {"book": 1, "copies": 10},
    ]
    assert {"book": 1, "copies": 10, "to": {"city": "Bonn"}} in simpler


def test_additional_names_come_and_go() -> None:
    gene = ObjectGene((Field("id", ConstantGene(1)),), additional=BooleanGene())
    rng = Random(1)
    sizes = set()
    for _ in range(100):
        gene = gene.mutate(rng)
        sizes.add(len(gene.value()))
    assert {1, 2, 3} <= sizes
    assert max(sizes) <= 6


def test_arrays_adopt_lists_with_foreign_elements() -> None:
    assert ArrayGene(IntegerGene()).adopt(["5", "x", None]).value() == [5, "x", None]


def test_arrays_shrink_to_the_elements_that_matter() -> None:
    gene: Gene = ArrayGene(IntegerGene()).adopt([5, 0, 42, 7])
    while True:
        simpler = next((g for g in gene.simpler() if 42 in g.value()), None)
        if simpler is None:
            break
        gene = simpler
    assert gene.value() == [42]


@pytest.mark.parametrize("maximum", [None, 500])
def test_long_arrays_are_drawn_from_few_elements(maximum: int | None) -> None:
    drawn = ArrayGene(IntegerGene(), 500, maximum).sample(Random(1))
    assert drawn.allows_length(len(drawn.value()))
    assert len(drawn.elements) >= 500
    assert 1 < len(set(map(id, drawn.elements))) <= 20
    unique = ArrayGene(IntegerGene(), 30, unique=True).sample(Random(1)).value()
    assert len(set(map(str, unique))) == len(unique) >= 30


def test_enumerations_take_in_unknown_values() -> None:
    colours = EnumGene(("red", "green", 1))
    assert colours.adopt("green").index == 1
    assert colours.adopt("1").index == 2
    assert colours.adopt(True).value() is True
    assert EnumGene(("a",)).adopt(5).value() == "5"
    assert EnumGene(("a",)).adopt([]) is None


def test_choices_adopt_without_conversion_where_they_can() -> None:
    choice = ChoiceGene((TextGene(), IntegerGene()))
    assert choice.adopt(5).value() == 5
    assert choice.adopt("5").value() == "5"
    assert choice.adopt({}) is None
    assert ChoiceGene((IntegerGene(), BooleanGene())).adopt("7").value() == 7


def test_choices_reach_every_alternative_and_fall_back_to_the_first() -> None:
    rng = Random(1)
    choice = ChoiceGene((TextGene(), IntegerGene(), BooleanGene()))
    assert {choice.sample(rng).index for _ in range(50)} == {0, 1, 2}
    assert {choice.mutate(rng).index for _ in range(80)} == {0, 1, 2}
    assert next(ChoiceGene(choice.alternatives, 2).simpler()).index == 0


def test_empty_choices_and_enumerations_are_null() -> None:
    assert ChoiceGene().sample(Random(1)).value() is None
    assert EnumGene().sample(Random(1)).value() is None


def test_suggestions_are_drawn_often_but_not_always() -> None:
    rng = Random(1)
    gene = SuggestedGene(IntegerGene(0, 10**6), (4711,))
    drawn = Counter(gene.sample(rng).value() for _ in range(400))
    assert 80 < drawn[4711] < 220


def test_optional_and_nullable_values_switch() -> None:
    assert OptionalGene(TextGene(), active=False).value() is ABSENT
    assert OptionalGene(TextGene(), active=False).adopt("x").value() == "x"
    assert OptionalGene(TextGene()).adopt(ABSENT).value() is ABSENT
    assert NullableGene(TextGene()).adopt(None).value() is None
    assert NullableGene(TextGene(), null=True).adopt("x").value() == "x"


def test_joined_arrays_read_and_write_text() -> None:
    gene = EncodedGene(ArrayGene(IntegerGene()), "|")
    assert gene.adopt("1|2").gene.value() == [1, 2]
    assert gene.adopt([3, 4]).value() == "3|4"
    assert gene.adopt("").value() == ""


def test_json_in_a_text_is_read_and_written() -> None:
    gene = EncodedGene(ArrayGene(IntegerGene()))
    assert gene.adopt("[1, 2]").value() == "[1,2]"
    assert gene.adopt([3, 4]).value() == "[3,4]"
    assert gene.adopt("[1") is None
    assert EncodedGene(BytesGene(current=b"\xff")).value() == '"\\u00ff"'


@pytest.mark.parametrize("gene", [PERSON, ArrayGene(), ChoiceGene((TextGene(),)), OptionalGene()])
def test_unknown_keys_are_refused(gene: Gene) -> None:
    with pytest.raises(KeyError):
        gene.with_child("no such key", TextGene())
    with pytest.raises(KeyError):
        replaced(gene, (7,), TextGene())
