"""Turns executed tests into modules that people keep.

Plan, names, literals, assertions, files, verification: each has a package.  May import `problem`,
`sut`, `settings`, `core`, `errors`; runs pytest only as a separate process.

Where to find a decision:

- how a suite is written, in which order: `writer`; where tests lie until they are verified, `stage`
"""

from __future__ import annotations
