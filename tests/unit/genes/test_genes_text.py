from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pytest_evosearch.genes import characters
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.characters import PRINTABLE
from pytest_evosearch.genes.formats import Base64Gene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene


def minimised(gene: Gene, serves: object) -> Gene:
    while True:
        simpler = next((g for g in gene.simpler() if serves(g.value())), None)
        if simpler is None:
            return gene
        gene = simpler


def test_samples_are_short_and_every_printable_character_turns_up() -> None:
    rng = Random(1)
    drawn = [TextGene().sample(rng).value() for _ in range(5000)]
    characters = Counter("".join(text for text in drawn if len(text) < 60))

    assert "" in drawn
    assert sorted(map(len, drawn))[2500] <= 8
    assert set(PRINTABLE) <= set(characters)
    assert any(not text.isascii() for text in drawn)
    assert max(map(len, drawn)) >= 255


def test_samples_can_be_sent() -> None:
    rng = Random(1)
    gene: Gene = TextGene()
    for _ in range(3000):
        gene = gene.mutate(rng, 1.0)
        assert gene.value().encode("utf-8").decode("utf-8") == gene.value()


def test_any_scalar_is_adopted_as_a_client_spells_it() -> None:
    spelt = [TextGene().adopt(value).value() for value in ("x", 12, 1.5, True, b"raw")]
    assert spelt == ["x", "12", "1.5", "true", "raw"]
    assert TextGene().adopt(["x"]) is None
    assert TextGene().adopt(None) is None


def test_minimisation_keeps_what_matters_and_makes_the_rest_plain() -> None:
    gene = TextGene(current="Qz9#-needle-%%Ü")
    assert minimised(gene, lambda text: "needle" in text).value() == "needle"
    assert minimised(gene, lambda text: len(text) > 3).value() == "aaaa"
    assert minimised(gene, lambda text: True).value() == "a"


def test_simpler_starts_with_one_letter_then_nothing() -> None:
    assert [gene.value() for gene in TextGene(current="Word").simpler()][:3] == ["a", "", "Wo"]
    assert [gene.value() for gene in TextGene(current="").simpler()] == ["a"]
    assert list(TextGene(current="a").simpler()) == []
    assert list(TextGene(maximum_length=0).simpler()) == []


@pytest.mark.parametrize(
    "gene",
    [DateGene(), TimeGene(), DateTimeGene(), UuidGene(), EmailGene(), UrlGene(), Base64Gene()],
    ids=lambda gene: type(gene).__name__,
)
def test_formats_hold_their_format_mostly_and_any_text_when_asked(gene: Gene) -> None:
    rng = Random(1)
    well_formed = 0
    for _ in range(300):
        sampled = gene.sample(rng)
        assert gene.is_well_formed(sampled.value())
        well_formed += gene.is_well_formed(sampled.mutate(rng).value())

    assert 260 < well_formed < 300
    adopted = gene.adopt("no such format")
    assert adopted.value() == "no such format"
    assert any(gene.is_well_formed(adopted.mutate(rng).value()) for _ in range(30))


@pytest.mark.parametrize(
    ("gene", "plain"),
    [
        (DateGene(current="2023-02-14"), "2000-01-01"),
        (DateGene("%d.%m.%Y", "14.02.2023"), "01.01.2000"),
        (TimeGene(current="13:45"), "00:00"),
        (DateTimeGene(current="2023-02-14 13:45:01.250"), "2000-01-01 00:00:00"),
        (DateTimeGene(current="2023-02-14T13:45:01+02:00"), "2000-01-01T00:00:00+02:00"),
        (EmailGene(current="zed.zz@mail.example.net"), "a@example.com"),
        (UrlGene(current="ftp://a.co/x?y=1"), "http://example.com/"),
        (UuidGene(current="1b4e28ba-2fa1-41d2-883f-0016d3cca427"), UuidGene().current),
        (Base64Gene(current="aGVsbG8="), ""),
    ],
)
def test_the_simplest_text_of_a_format_comes_first(gene: Gene, plain: str) -> None:
    assert next(gene.simpler()).value() == plain


def test_dates_are_minimised_to_the_start_of_what_matters() -> None:
    gene = DateTimeGene(current="2023-02-14T13:45:01Z")
    in_2023 = minimised(gene, lambda text: text.startswith("2023"))
    in_february = minimised(gene, lambda text: text.startswith("2023-02"))

    assert in_2023.value() == "2023-01-01T00:00:00Z"
    assert in_february.value() == "2023-02-01T00:00:00Z"


def test_dates_climb_to_a_window_of_one_day() -> None:
    from datetime import date

    rng = Random(3)
    gene: Gene = DateGene()

    def distance(text: str) -> int:
        try:
            return abs((date.fromisoformat(text) - date(2031, 7, 9)).days)
        except ValueError:
            return 10**6

    for _ in range(500):
        candidate = gene.mutate(rng)
        if distance(candidate.value()) <= distance(gene.value()):
            gene = candidate
    assert gene.value() == "2031-07-09"


def test_dates_meet_leap_days_and_the_ends_of_the_calendar() -> None:
    rng = Random(1)
    drawn = {DateGene().sample(rng).value() for _ in range(2000)}
    assert {"2024-02-29", "1970-01-01", "1999-12-31", "0001-01-01", "9999-12-31"} <= drawn


def test_bytes_adopt_text_and_shrink() -> None:
    assert BytesGene().adopt("é").value() == b"\xc3\xa9"
    assert BytesGene().adopt(1) is None
    assert next(BytesGene(current=b"\x00\xff").simpler()).value() == b""


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("Basic dGVzdEBleGFtcGxlLmNvbTpmb28=", ["a", "", "Basic", "Basic YTph"]),
        ("Basic YTph", ["a", "", "Basic"]),
        ("Bearer eyJhbGciOiJIUzI1NiJ9", ["a", "", "Bearer", "Bearer a"]),
    ],
)
def test_credentials_are_not_cut_to_pieces(text: str, simpler: list[str]) -> None:
    assert list(characters.simpler_words(text)) == simpler


@pytest.mark.parametrize("text", ["ann@example.com", "https://example.org/"])
def test_an_address_that_reads_well_is_not_cut_to_pieces(text: str) -> None:
    assert list(characters.simpler_words(text)) == ["a", ""]
    assert list(characters.simpler_words(text, 1)) == ["a"]
    assert "nn@x.y" in list(characters.simpler_words("Ann@x.y"))
    assert [gene.value() for gene in EmailGene("ann@x.org").simpler()] == ["a@example.com"]
