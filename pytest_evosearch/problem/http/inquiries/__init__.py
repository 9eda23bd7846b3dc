"""Tests made on purpose, for oracles to judge what a search for coverage rarely shows.

Imports `learning` and what is below it; `engine` and `oracles` import it.  Start at `inquirer`.

Where to find a decision:

- which tests are made on purpose after a search: one module for each kind
- in which order they are sent: `engine.checks`
- which tokens are forged: `forged_inquiry`
"""

from __future__ import annotations
