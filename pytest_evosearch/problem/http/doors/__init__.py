"""Ways in: what refuses a caller is looked at closely, until it shows what it wanted to be sent.

Imports `learning` and what is below it.  Start at `doors`.

Where to find a decision:

- how the search lets itself in, and what it has to send for that: `doors`
- which other form a text gets, where its form is wrong: `reshaping`
- what the owner of an account sends that was made first: `owners`
- which of those who were let in can become users: `callers`
- when a crash lies behind a door: `exact_keys`
- what comes before a log-in, whom it names, and what it changes: `log_ins`
"""

from __future__ import annotations
