"""How a source is changed: which probes go where, and the code that contains them.

Everything here happens before the application runs.  Start at `compilation`.  `transform`
(statements) and `expressions` choose the probes; `plan` is the result, which the rest of
`instrument` reads.

Imports only `distances` of its neighbours; all of `instrument` may import it.
"""

from __future__ import annotations
