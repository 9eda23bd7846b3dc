"""How modules come in with probes: which are selected, who finds and loads them, the cache of code.

`finder` asks the finders behind it, and swaps the loader of what `module_selection` accepts.

Imports the other packages of `instrument`; only `install` and rooms above `instrument` import it.
"""

from __future__ import annotations
