"""Skips work that is slow on purpose, or on which no result depends.

There is one module for each kind of work; start at `password_hashing`.  Imports `core`,
`sut.patches` and `sut.passwords`; other packages of `sut`, `write.verification`, `engine` and
`bridge` import it.

Where to find a decision:

- which work is slow on purpose: `password_hashing`, `name_lookups`
- whether the servers of mail domains are contacted: `mail_servers`
- where mails of smtplib go: `absent_mail_server`
- which tasks run at once instead of in a worker: `eager_tasks`
- what all verifying runs skip but the first: `verification_shortcuts`
"""

from __future__ import annotations
