"""Watches what handlers read, open, send and raise while they respond.

Start at `side_effects`.  Imports `sut.finding`, `sut.queries` and `sut.shortcuts`; other packages
of `sut` and packages above import it.

Where to find a decision:

- what is watched besides responses (SQL, files, hosts, tables): `side_effects`
- which exceptions count although a response came: `failures`; without a response,
  `background_failures`
- which exceptions GraphQL resolvers raise: `resolver_failures`
- which texts of a body a handler takes for objects: `texts_as_objects`
- which services are missing: `services`; what replaces their clients, `absent_clients`
- what libraries and SQL compare with sent values: `library_checks`, `statement_checks`
- what was hashed with which key: `keyed_digests`
- which tokens would have been accepted: `signed_tokens`; who signs them, `token_signers`;
  which claims they need, `token_claims`
- which rows of a developer's database are left out: `rows_of_people`
- what the project's own tests send: `recorded_requests`
- how mails are recorded: `outbox`
- which warnings a written test will allow: `issued_warnings`
- which tokens are signed with a setting of this machine: `own_signatures`
"""

from __future__ import annotations
