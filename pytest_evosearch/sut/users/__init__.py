"""Who may send requests: offered by the project, or found out by asking.

Start at `minted_users`.

Where to find a decision:

- in which order users are looked for: `minted_users`
- who is offered by functions of the tests: `helper_users`; by documents, `wfc_users`
- how a user logs in whom doors let in: `client_actions`
- how those whom doors let in are written: `found_users`; where a key is read in a written test,
  and what is a secret: `origins`
- which value of a row is put for a user: `stored_rows`; of a setting, an object or a file:
  `values_in_memory`
- which column identifies a user: `session_users`; who may do more than others, `privileges`
- what of a signed token must not be accepted: `forged_tokens`
- that asking before the search leaves nothing behind: `undone_visits`
"""

from __future__ import annotations
