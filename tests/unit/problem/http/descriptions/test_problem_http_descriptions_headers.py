from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from random import Random

import pytest
from werkzeug.http import parse_content_range_header
from werkzeug.http import parse_range_header

from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.problem.http.descriptions.guesses import TEXT
from pytest_evosearch.problem.http.descriptions.headers import header_gene


def well_formed(name: str) -> set[str]:
    """Sample what is sent for a header, texts of any form left out."""
    gene = header_gene(name)
    assert isinstance(gene, ChoiceGene)
    rng = Random(1)
    return {str(gene.alternatives[0].sample(rng).value()) for _ in range(60)} | {str(gene.value())}


def test_ranges_are_understood_as_such():
    parsed = [parse_range_header(text) for text in well_formed("Range")]
    contents = [parse_content_range_header(text) for text in well_formed("content-range")]

    assert sum(each is not None for each in parsed) > len(parsed) / 3  # some end before they begin
    assert any(each is not None for each in contents)
    assert all(re.fullmatch("bytes=[0-9]+-[0-9]*", text) for text in well_formed("Range"))


@pytest.mark.parametrize("name", ["If-Modified-Since", "If-Unmodified-Since", "Date"])
def test_dates_are_before_and_after_everything(name):
    years = sorted({parsedate_to_datetime(text).year for text in well_formed(name)})

    assert years == [1994, 2099]


def test_other_values_can_still_be_held():
    held = header_gene("Accept").adopt("image/webp")

    assert held is not None
    assert held.value() == "image/webp"


def test_of_unknown_headers_nothing_is_known():
    assert header_gene("X-Api-Key") == TEXT
