"""Plugins of pytest for the verifying interpreters, copied there: standard library only.

Imports nothing of `pytest_evosearch`.  Start at `apart`.

Where to find a decision:

- how each module is run by itself: `apart`; how runs end, `ending` and `survival`
- what a test changes: `preserving`, `traces`; who ends runs whose search was killed, `orphaned`
"""

from __future__ import annotations
