from __future__ import annotations

from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.wrong import deliberately_wrong


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, NullableGene),
        (True, BooleanGene),
        (3, IntegerGene),
        (0.5, FloatGene),
        ("hello", TextGene),
        ("12", TextGene),
        ("2024-01-01", DateGene),
        ("12:30", TimeGene),
        ("2024-01-01T12:30:00Z", DateTimeGene),
        ("1b4e28ba-2fa1-41d2-883f-0016d3cca427", UuidGene),
        ("ann@example.com", EmailGene),
        ("https://example.com/x", UrlGene),
        (b"raw", BytesGene),
        ([1, 2], ArrayGene),
        ({"a": 1}, ObjectGene),
        (1j, ConstantGene),
    ],
)
def test_types_and_formats_are_recognised(value: object, kind: type[Gene]) -> None:
    gene = gene_for(value)
    assert type(gene) is kind
    assert gene.value() == value


def test_the_elements_of_a_list_share_a_template() -> None:
    gene = gene_for([{"a": 1}, {"a": 2, "b": "x"}])
    assert isinstance(gene, ArrayGene)
    assert [name for name, _child in gene.template.children()] == ["a", "b"]


def test_deep_values_end_as_constants() -> None:
    value: object = 1
    for _ in range(40):
        value = [value]
    assert any(isinstance(gene, ConstantGene) for _path, gene in walk(gene_for(value)))


def test_objects_are_united_and_one_sided_fields_become_optional() -> None:
    known = ObjectGene((Field("id", IntegerGene()), Field("name", TextGene())))
    seen = ObjectGene((Field("name", EmailGene()), Field("age", IntegerGene(current=3))))

    merged = known.merged(seen)

    assert merged.value() == {"id": 0, "name": "a@example.com", "age": 3}
    assert isinstance(dict(merged.children())["age"], OptionalGene)


@pytest.mark.parametrize(
    ("known", "seen", "kept"),
    [
        (TextGene(), IntegerGene(), IntegerGene()),
        (IntegerGene(), TextGene(), IntegerGene()),
        (IntegerGene(0, 5), IntegerGene(), IntegerGene(0, 5)),
        (IntegerGene(), FloatGene(special=False), FloatGene(special=False)),
        (TextGene(), EnumGene(("a",)), EnumGene(("a",))),
        (NullGene(), TextGene(), NullableGene(TextGene())),
        (NullableGene(TextGene(), null=True), IntegerGene(), NullableGene(IntegerGene())),
        (NullGene(), NullGene(), NullGene()),
        (OptionalGene(TextGene()), DateGene(), OptionalGene(DateGene())),
        (TextGene(), OptionalGene(DateGene()), DateGene()),
        (ArrayGene(TextGene()), ArrayGene(IntegerGene()), ArrayGene(IntegerGene())),
        (ObjectGene(), TextGene(), ObjectGene()),
    ],
)
def test_the_more_specific_gene_is_kept(known: Gene, seen: Gene, kept: Gene) -> None:
    merged = known.merged(seen)
    assert type(merged) is type(kept)
    if not isinstance(kept, NullableGene):
        assert merged == kept


def test_suggestions_of_both_sides_are_kept() -> None:
    merged = SuggestedGene(TextGene(current="a"), ("a",)).merged(
        SuggestedGene(DateGene(), ("2001-01-01",))
    )
    assert merged == SuggestedGene(DateGene(), ("a", "2001-01-01"))
    started = IntegerGene(1, 9, 1).merged(SuggestedGene(IntegerGene(current=4), (4,)))
    assert started == SuggestedGene(IntegerGene(1, 9, 4), (4,))


def wrong_values(gene: Gene) -> list[object]:
    rng = Random(1)
    return [deliberately_wrong(gene, rng).value() for _ in range(200)]


def test_wrong_integers_break_type_and_bounds() -> None:
    values = wrong_values(IntegerGene(1, 10, 5))
    assert all(not isinstance(value, int) or not 1 <= value <= 10 for value in values)
    assert {0, 11, ""} <= {value for value in values if isinstance(value, (int, str))}
    assert None in values
    assert any(isinstance(value, float) for value in values)


def test_wrong_texts_break_their_length() -> None:
    lengths = {len(v) for v in wrong_values(TextGene(2, 5, current="abc")) if isinstance(v, str)}
    assert {0, 1, 6} <= lengths
    assert any(isinstance(value, list) for value in wrong_values(TextGene()))


def test_wrong_objects_are_wrong_inside_or_as_a_whole() -> None:
    gene = ObjectGene((Field("id", IntegerGene(current=1)), Field("name", TextGene())))
    values = wrong_values(gene)

    assert any(not isinstance(value, dict) for value in values)
    assert any(isinstance(value, dict) and "id" not in value for value in values)
    assert any(isinstance(value, dict) and "id" in value and "name" in value for value in values)


def test_wrong_values_can_be_minimised_back_to_right_ones() -> None:
    wrong = ChoiceGene((IntegerGene(current=5), NullGene()), 1)
    assert next(wrong.simpler()).value() == 5
