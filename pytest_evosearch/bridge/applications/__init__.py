"""Where the application comes from: fixtures, test cases, discovery, or a running server.

`bridge.pytest_host` asks them in order: `fixtures` (by the type of their value), `borrowing` and
`unittest_case` (what only test modules prepare), `standalone` (without fixtures), `outside` (a
server).

Imports `bridge.internals` only.

Where to find a decision:

- which fixtures are tried, in which order: `fixture_candidates`; what their values are, `fixtures`;
  which log a user in, `user_fixtures`
- which applications only test modules prepare: `borrowing`, `unittest_case`
- what variables of the environment get that fixtures miss: `stand_in_variables`; what is signed
  with where the environment has no key: `stand_in_keys`
- how an application is found without fixtures: `standalone`, `sut.finding.discovery`
- how a running server is reached: `outside`, `sut.clients.running_server`
- what the user is told if no application was found: `attempts`
"""

from __future__ import annotations
