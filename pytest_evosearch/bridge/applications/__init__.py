"""Where the application comes from: fixtures, test cases, discovery, or a running server.

`bridge.pytest_host` tries these modules in this order: `fixtures` (by the type of their value),
`borrowing` and `unittest_case` (what only test modules prepare), `standalone` (without fixtures),
`outside` (a server).  Start at `fixtures`.

Imports only `bridge.internals` of its neighbours.

Where to find a decision:

- which fixtures are tried, in which order: `fixture_candidates`; what their values are, `fixtures`;
  which log a user in, `user_fixtures`
- which applications only test modules prepare: `borrowing`, `unittest_case`
- which values environment variables get that fixtures need: `stand_in_variables`; which key signs
  where the environment has none, `stand_in_keys`
- how an application is found without fixtures: `standalone`, `sut.finding.discovery`
- how a running server is reached: `outside`, `sut.clients.running_server`
- what the user reads if no application was found: `attempts`
"""

from __future__ import annotations
