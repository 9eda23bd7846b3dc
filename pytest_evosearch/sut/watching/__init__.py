"""Sees what handlers read, open, send and raise while they answer.

Start at `side_effects`.

Where to find a decision:

- what is seen besides answers (SQL, files, hosts, tables): `side_effects`
- which exceptions count although an answer came: `failures`; without an answer,
  `background_failures`
- what fails in a resolver of GraphQL: `resolver_failures`
- which services are not there: `services`; what replaces their clients: `absent_clients`
- what libraries and SQL compare with what was sent: `library_checks`, `statement_checks`
- what was hashed with which key: `keyed_digests`
- which tokens would have passed: `signed_tokens`; who signs them: `token_signers`, `key_pairs`;
  which claims they need: `token_claims`
- what the project's own tests send: `heard_requests`
- how mails are seen: `outbox`
"""

from __future__ import annotations
