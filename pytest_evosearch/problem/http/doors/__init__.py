"""Log-ins: a refused call is varied until a response shows what the application accepts.

Imports `learning` and what is below it; `http_problem`, `harvest` and `engine` import it.  Start at
`doors`.

Where to find a decision:

- how the search logs in, and what it has to send for that: `doors`
- how a text with a wrong format is changed: `reshaping`
- what the owner of a new account sends: `owners`
- which accepted callers can become users: `callers`
- when a crash proves that a caller was let in: `exact_keys`
- which page comes before a log-in, which user it names, and what it changes: `log_ins`
"""

from __future__ import annotations
