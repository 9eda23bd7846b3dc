"""Small changes of the application's code, to see which tests notice them.

Start at `live_mutants`.  Imports nothing else of `execution`; `execution.units`, `harvest` and
`engine` import it.

Where to find a decision:

- which changes there are: `mutations`; how the running application gets one: `live_mutants`
"""

from __future__ import annotations
