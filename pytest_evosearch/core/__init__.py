"""Vocabulary that every other room shares: targets, scores, budgets, clocks, events, forms.

May import the standard library and `pytest_evosearch.errors`, nothing else.  Value objects
and pure functions, no global state.  What touches the disk stands in modules of its own: `atomic`,
`file_lock`, `scratch` and `safekeeping`.

Where to find a decision:

- what a name means: `vocabulary`; its words, singular and plural, `english`
- kinds of methods and statuses: `http_words`
- how a file is replaced in one step: `atomic`; what is put back after a death, `safekeeping`;
  folders, `scratch`
- where a user's caches are: `user_folders`
- what an exception of the application says, whatever its code does: `told`
- whose seconds a time limit counts: `own_time`
"""

from __future__ import annotations
