"""Lets parts that a run can do without fail alone.

Start at `fence`.  Imports the rest of `core`; every package above may import it.

Where to find a decision:

- what counts as a failure of ours, and what is told of it: `fence`
"""

from __future__ import annotations
