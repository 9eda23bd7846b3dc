"""Loads modules with probes in them, and records what each test touched.

Usable alone: it knows nothing of Flask, HTTP or a search.

    with install(["shop"]) as recording:
        import shop.pricing

        recording.begin()
        shop.pricing.discount(total=99)
        trace = recording.end()
        trace.score("branch shop/pricing.py:12 true")

Levels: 1 records statements and the sides of decisions; 2 adds distances (the and/or heuristics
included); 3 adds each operand of and/or, comparisons whose result is a value, string predicates,
regular expressions, conversions and lookups, and the hints in `Trace.comparisons`.

Branch labels: ``true`` and ``false`` of conditions and operands; ``entered`` and ``exhausted`` of
``for``; ``case 1``, ``case 2`` ... and ``no case`` of ``match``; ``except``; ``returned`` and
``raised`` of conversions; ``found`` and ``missing`` of lookups.  Several on one line are told apart
by an ordinal that does not depend on the level.

Where to look: `transform` and `expressions` decide which probes go where (`plan` is the result,
`decisions` the table of and/or, `calls` the recognised calls, `exclusion` what is left out);
`probes`, `conditions` and `taps` run inside the application; `distance` and `predicates` are the
scores; `finder`, `loader` and `selection` bring modules in; `recording` is the handle on all of
it, and `specialization` drops dead probes from the code.  What a source becomes is printed by
``python -m pytest_evosearch.instrument FILE``.

May import `core` and `errors` only.
"""

from __future__ import annotations

from pytest_evosearch.instrument.install import install
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.instrument.selection import Selection
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.instrument.trace import Trace

__all__ = ["Comparison", "Recording", "Selection", "Trace", "install"]
