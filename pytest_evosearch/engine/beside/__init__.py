"""Finishes tests while the search goes on: a second process minimises and verifies them.

    home       searches; sends tests of its archive to the finisher, and takes shorter tests back
    finisher   another run of pytest, with its own fixtures: executes the tests, minimises and
               writes them, and verifies them beside their place (`engine.finishing_run`)

The results of the finisher save work and decide nothing.  Home takes a shorter test only after it
has executed this test, and the test covers its targets.  A test that held in all circumstances runs
here once more, as it is, with the whole suite.  The search goes on, even if the finisher dies.

Start at `assistance`.  Imports `harvest` and `engine.loop`; the other modules of `engine` import
it.

Where to find a decision:

- when there is a finisher, and why there is none: `engine.preparing.finisher_hindrance`
- what the two processes send: `letters`, as files of `mailbox`, which islands use, too
- what home knows of the finisher's results: `early_findings`
- when the finisher starts, and what it gets: `assistance`
"""

from __future__ import annotations
