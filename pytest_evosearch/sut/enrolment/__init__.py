"""Accounts that an application creates itself, where there are none yet.

Start at `own_accounts`.  Imports `sut.users` and `sut.rows`; `sut.providers` and `engine` import
it.

Where to find a decision:

- which way is taken, and which accounts there are: `own_accounts`
- which commands and models create an account: `account_commands`, `account_models`
- which row is an account, where nothing creates one: `account_rows`
- the name of an account, and its password: `account_templates`
"""

from __future__ import annotations
