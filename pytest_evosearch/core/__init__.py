"""Vocabulary that every other room shares: targets, scores, budgets, clocks, events, forms.

May import the standard library and `pytest_evosearch.errors`, nothing else.  Value objects
and pure functions, no global state.  What touches the disk stands in modules of its own: `atomic`,
`file_lock`, `scratch` and `safekeeping`.
"""

from __future__ import annotations
