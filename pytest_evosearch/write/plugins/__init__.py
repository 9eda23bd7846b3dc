"""Plugins of pytest and scripts that are copied for verifying interpreters: standard library only.

Start at `perturbation`.  Imports nothing of `pytest_evosearch`; `verification`, `updating`,
`execution` and `bridge` import it.

Where to find a decision:

- what other circumstances change: `perturbation`; how runs end, `ending` and `survival`
- how pytest starts without any plugin: `plain`, and `supervising` from outside
- how slow fixtures are set up once for many tests: `set_up_once`
- what a test changes: `preserving`, `traces`; how runs end whose search was killed, `orphaned`
"""

from __future__ import annotations
