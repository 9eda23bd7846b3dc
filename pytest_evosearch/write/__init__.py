"""Turns executed tests into modules that people keep.

Plan, names, literals, assertions, files, verification.  May import `problem`, `sut`,
`settings`, `core`, `errors`; runs pytest only as a separate process.
"""

from __future__ import annotations
