"""What every gene promises, checked through one table of genes."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.formats import Base64Gene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import FileGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.genes.wrong import deliberately_wrong

ORDER = ObjectGene(
    (
        Field("id", IntegerGene(1, None, 1)),
        Field.optional("note", TextGene(0, 20)),
        Field("lines", ArrayGene(ObjectGene((Field("price", FloatGene(0, 99, special=False)),)))),
        Field("owner", NullableGene(EmailGene())),
    ),
    additional=BooleanGene(),
)

GENES: dict[str, Gene] = {
    "boolean": BooleanGene(),
    "integer": IntegerGene(),
    "integer in bounds": IntegerGene(-3, 17, 4),
    "integer from": IntegerGene(minimum=5, current=5),
    "integer to": IntegerGene(maximum=-5, current=-5),
    "integer of 64 bits": IntegerGene(-(2**63), 2**63 - 1),
    "integer in sevens": IntegerGene(1, 100, 7, multiple_of=7),
    "float": FloatGene(),
    "float without specials": FloatGene(special=False),
    "float in bounds": FloatGene(-1.5, 2.25, current=1.0),
    "float from": FloatGene(minimum=0.1, current=0.1),
    "float in tenths": FloatGene(0, 1, current=0.5, multiple_of=0.1),
    "null": NullGene(),
    "text": TextGene(),
    "text in bounds": TextGene(2, 5, current="abc"),
    "text of digits": TextGene(1, 4, "0123456789", "1"),
    "enum": EnumGene(("red", "green", 3, None, [1])),
    "enum of one": EnumGene((1,)),
    "constant": ConstantGene({"a": [1]}),
    "choice": ChoiceGene((IntegerGene(), TextGene(), ArrayGene(BooleanGene()))),
    "suggested": SuggestedGene(IntegerGene(0, 100), (42, 7)),
    "optional": OptionalGene(TextGene(current="x")),
    "nullable": NullableGene(DateGene()),
    "array": ArrayGene(IntegerGene()),
    "array in bounds": ArrayGene(TextGene(), 1, 3, (TextGene(current="x"),)),
    "array of unique": ArrayGene(EnumGene(("a", "b", "c")), unique=True),
    "joined array": EncodedGene(ArrayGene(IntegerGene()), ","),
    "JSON in a text": EncodedGene(ArrayGene(IntegerGene())),
    "object": ORDER,
    "date": DateGene(),
    "date in a layout": DateGene("%d/%m/%Y", "01/01/2000"),
    "time": TimeGene(),
    "time in minutes": TimeGene(current="12:30"),
    "moment": DateTimeGene(),
    "moment as databases write it": DateTimeGene(current="2001-02-03 04:05:06"),
    "uuid": UuidGene(),
    "email": EmailGene(),
    "url": UrlGene(),
    "base64": Base64Gene(),
    "bytes": BytesGene(),
    "file": file_gene("image", BytesGene()),
    "bytes in bounds": BytesGene(2, 4, b"ab"),
    "regex": RegexGene.compile(r"^[A-Z]{2}-\d{3,5}(x|yy)?$"),
    "regex with a reference": RegexGene.compile(r"^(['\"])(?P<word>\w+)\1$"),
    "regex with look-aheads": RegexGene.compile(r"^(?=.*\d)(?=.*[A-Z]).{6,}$"),
    "regex that is broken": RegexGene("(", "x"),
}

SINGLE_VALUED = ("null", "enum of one", "constant")

every_gene = pytest.mark.parametrize("gene", GENES.values(), ids=GENES.keys())
seeds = st.integers(0, 2**32)
strengths = st.sampled_from((0.0, 0.3, 0.5, 1.0))
few = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)

CONSTRAINTS: dict[str, Callable[[object], bool]] = {
    "integer in bounds": lambda value: -3 <= value <= 17,
    "integer from": lambda value: value >= 5,
    "integer to": lambda value: value <= -5,
    "integer of 64 bits": lambda value: -(2**63) <= value < 2**63,
    "integer in sevens": lambda value: 1 <= value <= 100 and value % 7 == 0,
    "float without specials": math.isfinite,
    "float in bounds": lambda value: -1.5 <= value <= 2.25,
    "float from": lambda value: value >= 0.1,
    "float in tenths": lambda value: 0 <= value <= 1 and round(value, 1) == value,
    "text in bounds": lambda value: 2 <= len(value) <= 5,
    "text of digits": lambda value: 1 <= len(value) <= 4 and value.isdigit(),
    "suggested": lambda value: 0 <= value <= 100,
    "array in bounds": lambda value: 1 <= len(value) <= 3,
    "bytes in bounds": lambda value: 2 <= len(value) <= 4,
}


def same_value(first: object, second: object) -> bool:
    return repr(first) == repr(second)


@every_gene
@given(seed=seeds, strength=strengths)
@few
def test_same_random_state_gives_the_same_gene(gene: Gene, seed: int, strength: float) -> None:
    def vary(rng: Random) -> Gene:
        return gene.sample(rng).mutate(rng, strength).mutate(rng, strength)

    assert vary(Random(seed)) == vary(Random(seed))


@every_gene
@given(seed=seeds, strength=strengths)
@few
def test_operations_leave_the_gene_as_it_was(gene: Gene, seed: int, strength: float) -> None:
    before = copy.deepcopy(gene)

    gene.sample(Random(seed))
    gene.mutate(Random(seed), strength)
    list(gene.simpler())
    gene.adopt(gene.value())

    assert gene == before


@every_gene
@given(seed=seeds, strength=strengths)
@few
def test_mutation_differs_where_it_can(gene: Gene, seed: int, strength: float) -> None:
    rng = Random(seed)
    sampled = gene.sample(rng)
    mutated = sampled.mutate(rng, strength)

    assert (mutated != sampled) == (gene not in [GENES[name] for name in SINGLE_VALUED])


def test_number_on_its_only_bound_leaves_it() -> None:
    gene = FloatGene(minimum=0.1, current=0.1)

    assert all(gene.mutate(Random(seed), 0.0) != gene for seed in range(10_000))


def test_huge_number_is_left_though_steps_do_not_move_it() -> None:
    gene = FloatGene(current=1e308)

    assert all(gene.mutate(Random(seed), 0.0) != gene for seed in range(10_000))


@pytest.mark.parametrize("name", CONSTRAINTS)
@given(seed=seeds, strength=strengths)
@few
def test_samples_and_mutants_keep_the_constraints(name: str, seed: int, strength: float) -> None:
    rng = Random(seed)
    gene = GENES[name].sample(rng)
    assert CONSTRAINTS[name](gene.value())
    for _ in range(5):
        gene = gene.mutate(rng, strength)
        assert CONSTRAINTS[name](gene.value())
    for simpler in gene.simpler():
        assert CONSTRAINTS[name](simpler.value())


@given(seed=seeds, strength=strengths)
@few
def test_unique_elements_stay_unique_when_inserted(seed: int, strength: float) -> None:
    sampled = GENES["array of unique"].sample(Random(seed))
    assert len(set(sampled.value())) == len(sampled.value())


@every_gene
@given(seed=seeds)
@few
def test_simpler_is_finite_and_never_the_gene_itself(gene: Gene, seed: int) -> None:
    rng = Random(seed)
    gene = gene.sample(rng).mutate(rng, 1.0)
    candidates = []
    for candidate in gene.simpler():
        assert candidate != gene
        candidates.append(candidate)
        assert len(candidates) < 5000


@every_gene
@given(seed=seeds, pick=st.sampled_from((0, 1)))
@few
def test_repeated_simplification_terminates(gene: Gene, seed: int, pick: int) -> None:
    rng = Random(seed)
    gene = gene.sample(rng).mutate(rng, 1.0)
    for _ in range(20_000):
        candidates = list(gene.simpler())
        if not candidates:
            return
        gene = candidates[pick if len(candidates) > 1 else 0]
    pytest.fail(f"still simplifying: {gene}")


@every_gene
@given(seed=seeds)
@few
def test_a_gene_adopts_its_own_value(gene: Gene, seed: int) -> None:
    sampled = gene.sample(Random(seed))
    adopted = sampled.adopt(sampled.value())

    assert adopted is not None
    assert same_value(adopted.value(), sampled.value())


@every_gene
@given(seed=seeds)
@few
def test_values_travel_as_json(gene: Gene, seed: int) -> None:
    value = gene.sample(Random(seed)).value()
    if isinstance(gene, FileGene) or isinstance(value, bytes | float) or value is ABSENT:
        return
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@every_gene
@given(seed=seeds)
@few
def test_every_descendant_can_be_reached_and_replaced(gene: Gene, seed: int) -> None:
    gene = gene.sample(Random(seed))
    for path, descendant in walk(gene):
        assert replaced(gene, path, descendant) == gene
        changed = descendant.mutate(Random(seed))
        if changed != descendant:
            assert replaced(gene, path, changed) != gene


@every_gene
@given(seed=seeds)
@few
def test_value_paths_lead_to_the_values(gene: Gene, seed: int) -> None:
    gene = gene.sample(Random(seed))
    for value_path, _gene_path, leaf in leaves(gene):
        value = gene.value()
        if isinstance(gene, RegexGene):
            continue
        for key in value_path:
            value = value[key]
        assert same_value(value, leaf.value())
        assert find(gene, value_path) is not None


@every_gene
def test_equal_genes_have_equal_hashes(gene: Gene) -> None:
    assert hash(gene) == hash(copy.deepcopy(gene))


@every_gene
@given(seed=seeds)
@few
def test_wrong_values_differ_and_can_go_back(gene: Gene, seed: int) -> None:
    rng = Random(seed)
    gene = gene.sample(rng)
    wrong = deliberately_wrong(gene, rng)

    assert wrong != gene
    assert wrong.mutate(rng) is not None


@given(seed=seeds)
@example(seed=229592)
@few
def test_wrong_values_are_never_stacked(seed: int) -> None:
    rng = Random(seed)
    wrong = deliberately_wrong(deliberately_wrong(ORDER.sample(rng), rng), rng)
    for _path, descendant in walk(wrong):
        if isinstance(descendant, ChoiceGene):
            assert not any(isinstance(inner, ChoiceGene) for inner in descendant.alternatives)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.dates().map(str)
    | st.uuids().map(str)
    | st.emails(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(value=json_values)
@few
def test_inferred_genes_hold_what_was_seen(value: object) -> None:
    assert same_value(gene_for(value).value(), value)


@given(value=json_values, seed=seeds)
@few
def test_any_gene_tree_survives_any_adopted_value(value: object, seed: int) -> None:
    for gene in GENES.values():
        adopted = gene.adopt(value)
        if adopted is not None:
            adopted.mutate(Random(seed)).value()
            next(iter(adopted.simpler()), None)


@given(known=json_values, seen=json_values)
@few
def test_merging_is_idempotent_and_keeps_every_name(known: object, seen: object) -> None:
    merged = gene_for(known).merged(gene_for(seen))
    assert merged.merged(gene_for(seen)).value() == merged.value()
    if isinstance(known, dict) and isinstance(seen, dict):
        assert {key for key, _child in merged.children()} == {*known, *seen}
