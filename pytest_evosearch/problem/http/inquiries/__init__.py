"""Tests made on purpose, for oracles to judge what a search for coverage rarely shows.

Imports `learning` and what is below it; only `engine` uses it.

Where to find a decision:

- which tests are made on purpose after a search: one module for each kind; the order,
  `engine.inquiry`; tokens that are forged, `forged_inquiry`
"""

from __future__ import annotations
