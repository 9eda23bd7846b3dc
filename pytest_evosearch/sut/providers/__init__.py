"""Missing identity providers: what decides who logs in, instead of a provider of OAuth 2.

Start at `absent_providers`.  `stand_ins` replaces the calls of each library.  Imports
`sut.enrolment.account_templates`, because an identity has the form of an account; only `engine`
imports this package.
"""

from __future__ import annotations
