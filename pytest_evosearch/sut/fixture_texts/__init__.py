"""The source of fixtures for written tests, made where it is known what they restore.

Start at `support_text`.  Imports `sut.finding`, `sut.database_servers` and `sut.watching`;
`sut.state`, `sut.users`, `write` and packages above import it.

Where to find a decision:

- the fixture that restores state: `state_text`; databases, `database_text`; servers, `server_text`
- what answers for other services: `service_stubs`, whose text is the fixture
"""

from __future__ import annotations
