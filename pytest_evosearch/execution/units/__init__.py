"""Calls units in processes that may be lost.

A unit gets any argument, so it may delete, end or block whatever it is given.  It is never called
in the process of the search: a fork that is confined does it, and is replaced after some calls, or
at once when a call has left something behind.

Start at `workers`.  Imports `problem.units`, `standins`, `instrument` and `core`; `harvest` and
`engine` import it.

Where to find a decision:

- what a unit may do: `confined`
- when a process is replaced: `workers`
- how a unit is called, and what counts as its result: `calling`
- how a result is told as plain data: `described`
- what a call changed, and what its value looks like: `looks`
- what detects a small change of a module: `mutant_trials`, `execution.mutating`
- what passes without the body of the tested function: `hollow_trials`
"""

from __future__ import annotations
