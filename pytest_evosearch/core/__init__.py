"""What every other package shares: targets, scores, budgets, clocks, events, words and forms.

Imports the standard library and `pytest_evosearch.errors` only; every other package may import it.
It holds value objects and pure functions, and no global state.  Modules of their own touch the
disk: `atomic`, `scratch` and `safekeeping`.  Start at `targets` and `events`.

Where to find a decision:

- what a name means: `vocabulary`; its words, singular and plural, `english`
- kinds of methods and statuses: `http_words`
- what differs by chance in a text: `chance`
- how a file is replaced in one step: `atomic`
- what is kept in case a process is killed: `safekeeping`, put back by `failing.putting_back`; which
  folders are removed, `scratch`
- what an exception of the application says, whatever its code does: `exception_texts`
- which parts a run can do without, and what is told when one fails: `failing`
- whose seconds a time limit counts: `own_time`
- which methods of our classes are compiled when they are defined: `quick_dataclasses`
- which of several names a variable, a fixture, a constant or a file gets: `free_names`
"""

from __future__ import annotations
