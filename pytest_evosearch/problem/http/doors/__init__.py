"""Refusals: a call that is refused or fails is varied until the application accepts it.

Imports `learning` and what is below it; `http_problem`, `harvest` and `engine` import it.  Start at
`doors`.

Where to find a decision:

- how the search logs in, and what it has to send for that: `doors`
- which endpoint is climbed next, and as whom: `agenda`
- how one climb gets further: `climbing`; what it changes: `suggestions`; what a look shows: `clues`
- whether a call has entered its view: `entered_views`
- what proves that a caller was let in, and by which inputs: `proofs`
- who was let in so far: `known_callers`
- which signature a request needs: `signatures`; which texts of responses are tried as tokens:
  `issued_tokens`; which inputs a climbed call has at first: `whole_calls`
- how a text with a wrong format is changed: `reshaping`
- what the owner of a new account sends: `owners`
- which accepted callers can become users: `callers`
- when a crash proves that a caller was let in: `exact_keys`
- which page comes before a log-in, which user it names, and what it changes: `log_ins`
"""

from __future__ import annotations
