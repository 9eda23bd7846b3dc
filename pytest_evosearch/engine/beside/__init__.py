"""Finishes tests while the search goes on: a second process minimises and verifies what was found.

    home       searches; tells the finisher what its archive holds, and takes shorter tests back
    finisher   pytest once more, with fixtures of its own: executes what it is told, minimises and
               writes it, and verifies the tests beside their place (`engine.finishing_run`)

What the finisher says saves work and decides nothing.  A short form counts here when it was
executed here and covers what the test is kept for.  A test that has held in all circumstances is
run here once more, as it is, with the whole suite.  Whatever ends the finisher, the search goes on.

Imports `harvest` and `engine.loop`.

Where to find a decision:

- when there is a finisher, and why there is none: `engine.preparing.finisher_hindrance`
- what the two processes tell one another: `letters`, as files of `mailbox`, where islands leave
  theirs, too; what is known here by now, `early_findings`
- when the finisher starts, and what it is told: `assistance`
"""

from __future__ import annotations
