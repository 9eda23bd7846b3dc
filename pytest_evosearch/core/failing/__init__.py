"""Lets parts of a run fail alone, and puts back what a run has left that was killed.

Start at `fence`.  Imports the rest of `core`; every package above may import it.

Where to find a decision:

- what counts as a failure of ours, and what is told of it: `fence`
- what is put back of a run that was killed, and how: `putting_back`
"""

from __future__ import annotations
