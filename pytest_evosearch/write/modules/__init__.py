"""Whole modules: their text, their files, and what people have changed in them since.

Start at `suite_assembly`.  Imports `naming` and `content`; `verification`, `updating`, `engine` and
`bridge` import it.

Where to find a decision:

- which tests people have edited: `ledger`; what a hook changed in modules, `modification`
- of which pieces a written `conftest.py` consists, and how one is taken out: `fixture_pieces`
- what needs a browser, and is written apart: `browser_module`
- which fixtures are parameters: `printing`; shared log-ins of tests: `shared_openings`
"""

from __future__ import annotations
