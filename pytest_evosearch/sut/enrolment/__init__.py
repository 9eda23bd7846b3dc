"""Accounts that an application makes itself, where there are none yet.

Start at `own_accounts`.  Imports `sut.users` and `sut.rows`.

Where to find a decision:

- which way is taken, and which accounts there are: `own_accounts`
- which commands, functions and models make an account: `account_commands`, `account_functions`,
  `account_models`
- what an account is called, and its password: `account_templates`
"""

from __future__ import annotations
