from __future__ import annotations

from collections import Counter
from random import Random

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import KINDS
from pytest_evosearch.genes.uploads import file_gene

IMAGE = file_gene("image", BytesGene(current=b"a"))


def name_of(gene: Gene) -> str:
    value = gene.value()
    assert isinstance(value, dict)
    return str(value["filename"])


def test_a_file_is_called_after_its_parameter() -> None:
    assert IMAGE.value() == {"filename": "image.txt", "content": b"a"}


def test_only_contents_become_files() -> None:
    assert file_gene("x", NullableGene(BytesGene())) == file_gene("x", BytesGene())
    assert file_gene("x", TextGene()) == TextGene()


def test_samples_are_of_many_kinds_and_now_and_then_without_a_name() -> None:
    rng = Random(1)
    names = Counter(name_of(IMAGE.sample(rng)) for _ in range(600))

    assert set(names) == {"", "image.txt", *(f"image.{ending}" for ending, _ in KINDS)}
    assert names.most_common(1)[0][0] == "image.txt"


def test_contents_mostly_are_what_the_name_says() -> None:
    rng = Random(1)
    drawn = [IMAGE.sample(rng).value() for _ in range(600)]
    pictures = [one for one in drawn if isinstance(one, dict) and one["filename"] == "image.png"]

    agreeing = [one for one in pictures if one["content"] == dict(KINDS)["png"]]
    assert len(pictures) / 2 < len(agreeing) < len(pictures)


def test_contents_and_names_are_adopted() -> None:
    told = {"filename": "me.gif", "content": b"x"}

    held = IMAGE.adopt(told)

    assert held is not None
    assert held.value() == told
    content = IMAGE.adopt("ü")
    assert content is not None
    assert content.value() == {"filename": "image.txt", "content": "ü".encode()}
    assert IMAGE.adopt([1]) is None


def test_a_plain_name_and_content_are_returned_to_where_they_do() -> None:
    gene = IMAGE.adopt({"filename": "../odd name.png", "content": b"xyz"})
    assert gene is not None

    while (
        smaller := next((g for g in gene.simpler() if name_of(g).endswith("png")), None)
    ) is not None:
        gene = smaller

    assert gene.value() == {"filename": "image.png", "content": b""}
