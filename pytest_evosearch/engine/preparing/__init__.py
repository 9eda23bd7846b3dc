"""From a host and settings to everything that a search needs.

Start at `preparation`, which makes a `ready_search.Prepared`.  Only `engine` imports this package;
it imports `harvest.permanence` and everything below.

Where to find a decision:

- which endpoints are searched: `description`; which oracles, `oracle_choice`
- what is watched and blocked, and how that ends: `watches`
- why no second process finishes tests during the search: `finisher_hindrance`
- which callers become users: `admitted_users`; which stored values are replaced for them,
  `known_values`; how their requests become fixtures, `sent_by_callers`
- how requests of the project's own tests become tests: `recorded_examples`
- whether the project changes requests in one way each time: `rehearsal`
"""

from __future__ import annotations
