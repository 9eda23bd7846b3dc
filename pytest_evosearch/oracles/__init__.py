"""Judges of what was exchanged: each finding is a fault with a stable code.

An oracle is a pure function of an exchange.  May import `problem`, `settings`, `core`,
`errors`; knows neither the search nor the writer.
"""

from __future__ import annotations
