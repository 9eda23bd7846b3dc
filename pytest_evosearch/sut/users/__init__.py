"""Users who may send requests: named by the project, or found by trying.

Start at `minted_users`.  Imports `sut.clients`, `sut.finding`, `sut.state` and what is below them;
`sut.enrolment` and packages above `sut` import it.

Where to find a decision:

- in which order users are searched for: `minted_users`
- how a user logs in: `problem.http.doors.log_ins`
- how users that the search found are written: `found_users`; their names where no name of a
  person was sent, `client_names`
- where a written test reads a key, and what is a secret: `origins`; how that is spelled,
  `key_code`
- which value of a row is replaced for a user: `stored_rows`; of a setting, an object or a file,
  `values_in_memory`
- which column identifies a user: `session_users`; which users may do more than others, `privileges`
- which changes of a signed token must not be accepted: `forged_tokens`
- how visits before the search are undone: `undone_visits`
- which scripts of SQL make tables that are missing: `schema_scripts`
"""

from __future__ import annotations
