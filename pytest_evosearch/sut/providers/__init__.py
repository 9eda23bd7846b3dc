"""Identity providers that are not there: what says who comes in, in the place of LDAP or OAuth 2.

Start at `identity`.  What is put in the place of each library's calls: `stand_ins`.  Imports
`sut.users.account_templates`, as an identity is written down like an account.
"""

from __future__ import annotations
