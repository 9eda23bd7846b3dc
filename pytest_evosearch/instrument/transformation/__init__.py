"""What a source becomes: which probes go where, and the code that holds them.

Everything here works before the application runs.  `transform` (statements) and `expressions`
choose the probes; `plan` is what they decided, and what every other room of `instrument` reads.
Start at `compilation`.

May be imported by all of `instrument`; imports none of its other packages.
"""

from __future__ import annotations
