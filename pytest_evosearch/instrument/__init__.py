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

Four packages, each above the ones before it:

- `transformation`: what a source becomes; which probes go where (`plan` is the result);
- `distances`: the scores of comparisons, texts and patterns;
- `probing`: what runs inside the application, and the `trace` that it leaves;
- `loading`: which modules are selected, and how they come in with their probes.

On top: `recording` is the handle on all of it, `catalog` says what is known of the modules, and
`install` wires both.  ``python -m pytest_evosearch.instrument FILE`` prints what a source becomes.

May import `core` and `errors` only.

Where to find a decision:

- which statements, sides and operands are targets: `transformation.transform`,
  `transformation.expressions`
- what is left out: `transformation.exclusion`; what coverage.py leaves out,
  `loading.coverage_settings`
- which modules carry probes: `loading.module_selection`
- how far a comparison is from its other side: `distances.distance`; texts and patterns,
  `distances.predicates`
- when probes are taken out of the code: `probing.specialization`
- which inputs a condition decides by, through the names between: `deciding_source`
- what libraries compare on behalf of the application: `probing.weighing`
"""

from __future__ import annotations

from pytest_evosearch.instrument.install import install
from pytest_evosearch.instrument.loading.module_selection import Selection
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.instrument.recording import Recording

__all__ = ["Comparison", "Recording", "Selection", "Trace", "install"]
