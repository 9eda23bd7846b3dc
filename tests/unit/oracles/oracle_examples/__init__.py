"""Exchanges with and without the faults of each oracle.

A module for each module of `pytest_evosearch.oracles`; a function for each oracle, named like its
code with underscores.
"""

from __future__ import annotations
