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
