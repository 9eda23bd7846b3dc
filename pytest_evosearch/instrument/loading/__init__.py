"""How modules get their probes: which are selected, who finds and loads them, the code cache.

Start at `finder`: it asks the finders after it, and replaces the loader of modules that
`module_selection` accepts.

Imports `transformation`; `install` and packages above `instrument` import it.
"""

from __future__ import annotations
