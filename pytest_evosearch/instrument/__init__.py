"""Loads modules with probes in them, and records what each test touched.

Usable alone: it knows nothing of Flask, HTTP or a search.

    with install(["shop"]) as recording:
        import shop.pricing

        recording.begin()
        shop.pricing.discount(total=99)
        trace = recording.end()
        trace.score("branch shop/pricing.py:12 true")

May import `core` and `errors` only.
"""

from __future__ import annotations

from pytest_evosearch.instrument.install import install
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.instrument.selection import Selection
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.instrument.trace import Trace

__all__ = ["Comparison", "Recording", "Selection", "Trace", "install"]
