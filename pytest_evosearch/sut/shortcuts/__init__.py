"""Spares work that is slow on purpose, or that no result depends on.

One module for each kind of work.

Where to find a decision:

- which work is slow on purpose: `password_hashing`, `name_lookups`, `trusted_certificates`
- whether addresses are checked with the servers of their domains: `mail_servers`
- who takes the mails that smtplib sends: `absent_mail_server`
- which tasks run at once instead of in a worker: `eager_tasks`
- what is spared in all runs of verification but the first: `verification_shortcuts`
"""

from __future__ import annotations
