from __future__ import annotations

from pytest_evosearch.genes.choice import EnumGene


def test_closed_enumeration_takes_its_own_options_only():
    gene = EnumGene(("free", "paid"), closed=True)
    assert gene.adopt("paid") == EnumGene(("free", "paid"), 1, closed=True)
    assert gene.adopt("other") is None


def test_open_enumeration_takes_other_values_as_options():
    assert EnumGene(("free", "paid")).adopt("other").value() == "other"
