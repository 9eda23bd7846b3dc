"""Identity providers that are not there: what says who comes in, in the place of LDAP or OAuth 2.

Start at `absent_providers`.  What is put in the place of each library's calls: `stand_ins`.
Imports `sut.enrolment.account_templates`, as an identity is written down like an account.
"""

from __future__ import annotations
