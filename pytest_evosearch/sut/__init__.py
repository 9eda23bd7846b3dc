"""The system under test as it is: finding it, loading it, talking to it, bringing its state back.

One of the three rooms that may import flask and werkzeug (`execution` and `problem.http`
are the others); never pytest.  May import `instrument`, `genes`, `settings`, `core`, `errors`.

Where to find a decision:

- what the process looks like while the application is imported and created: `surroundings`
- how work in the main thread that takes too long is ended: `alarm`
- how Connexion 3 (ASGI) answers Flask's client: `asgi`
- which stored values are worth sending: `row_values`
- which names are looked up in a copy of the request: `looked_up`
- why the standard library stays unpatched under gevent and eventlet: `green_threads`
- who comes in where no account exists yet, `enrolment`; by an identity provider that is not
  there, `providers`
- how databases on servers are put back: `database_servers`; which server stands in for one,
  `servers`
"""

from __future__ import annotations
