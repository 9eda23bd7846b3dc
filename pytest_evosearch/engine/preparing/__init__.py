"""From a host and settings to everything that a search needs.

May be imported by `engine` only; imports `harvest.permanence` and everything below.

Where to find a decision:

- which endpoints are searched: `description`; which oracles, `oracle_choice`
- what is watched and held back, and taken away again: `watches`
- why no second process finishes tests while the search goes on: `finisher_hindrance`
- who of those that doors let in becomes a user: `admitted_users`; which stored values are put for
  them, `known_values`
- what becomes of what the project's own tests were heard to send: `heard_examples`
- whether the project changes requests alike each time: `rehearsal`
"""

from __future__ import annotations
