"""The system under test: finds it, loads it, sends to it, and restores its state.

Only this package, `execution` and `problem.http` may import flask and werkzeug; it never imports
pytest.  May import `instrument`, `genes`, `settings`, `core` and `errors`; packages of rank 4 and
above import it.  Start at the package for your question: `finding`, `users`, `state` or `clients`.

Where to find a decision:

- which process the application finds while it is imported and created: `surroundings`
- how work in the main thread that takes too long is ended: `alarm`
- how Connexion 3 (ASGI) responds to Flask's client: `asgi`
- which stored values are worth sending: `row_values`
- how the search runs the very text that a written fixture contains: `deeds`; how a text imports a
  module that no statement can name (`my-shop`): `import_statements`
- which names are looked up in a copy of the request: `looked_up`
- how an attribute is replaced and put back: `patches`; in what is imported later, `late_imports`
- why the standard library stays unpatched under gevent and eventlet: `green_threads`
- how each library hashes and checks passwords, and how a test does it: `passwords`
- who logs in where no account exists yet: `enrolment`; where an identity provider is missing,
  `providers`
- which databases and set-ups several runs share: `shared_storage`
- how a real browser gets its answers: `browser`
- how databases on servers are restored: `database_servers`; which server replaces a missing one,
  `servers`
"""

from __future__ import annotations
