"""Loads modules with probes in them, and records what each test touched.

It is usable alone, and knows nothing of Flask, HTTP or a search:

    with install(["shop"]) as recording:
        import shop.pricing

        recording.begin()
        shop.pricing.discount(total=99)
        trace = recording.end()
        trace.score("branch shop/pricing.py:12 true")

Level 1 records statements and the sides of decisions.  Level 2 adds distances (those of and/or
included).  Level 3 adds each operand of and/or, comparisons whose result is a value, string
predicates, regular expressions, conversions and lookups, and the hints in `Trace.comparisons`.

Labels of branches are ``true`` and ``false`` for conditions and operands; ``entered`` and
``exhausted`` for ``for``; ``case 1``, ``case 2`` ... and ``no case`` for ``match``; ``except``;
``returned`` and ``raised`` for conversions; ``found`` and ``missing`` for lookups.  An ordinal
tells several on one line apart; it does not depend on the level.

There are four packages, each above the ones before it:

- `transformation`: how a source is changed; which probes go where (`plan` is the result);
- `distances`: the scores of comparisons, texts and patterns;
- `probing`: what runs inside the application, and the `trace` that it leaves;
- `loading`: which modules are selected, and how they are loaded with their probes.

Start at `install`, which connects everything.  `recording` is the handle for it, and `catalog` says
what is known about the modules.  ``python -m pytest_evosearch.instrument FILE`` prints how a source
is changed.

Imports `core` and `errors` only; packages of rank 3 and above import it.

Where to find a decision:

- which statements, sides and operands are targets: `transformation.transform`,
  `transformation.expressions`
- what is left out: `transformation.exclusion`; what coverage.py leaves out,
  `loading.coverage_settings`
- which modules have probes: `loading.module_selection`
- how far a comparison is from its other side: `distances.distance`; texts and patterns,
  `distances.predicates`
- when probes are removed from the code: `probing.specialization`
- what libraries compare for the application: `probing.weighing`
"""

from __future__ import annotations

from pytest_evosearch.instrument.install import install
from pytest_evosearch.instrument.loading.module_selection import Selection
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.instrument.recording import Recording

__all__ = ["Comparison", "Recording", "Selection", "Trace", "install"]
