"""Vocabulary that every other room shares: targets, scores, budgets, clocks, events, forms.

May import the standard library and `pytest_evosearch.errors`, nothing else.  Value objects
and pure functions only: no input or output, no global state.
"""

from __future__ import annotations
