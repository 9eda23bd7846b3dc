"""What answers teach: outcomes, recipes, admission, tokens, producers, pages.

Imports `filling` and what is below it.  Start at `outcomes`.

Where to find a decision:

- what is a success, a refusal, a page to which everybody is sent: `outcomes`, `alike`
- which tokens (CSRF) forms want, and where they come from: `forgery`, linked by `linking`
- to whom a page shows its form: `pages`; who calls as whom, `admission`
- what validators of libraries teach: `validations`; HTTP Basic for registered users, `challenges`
- which state a test has led to: `states`; which calls hang, `freezes`
"""

from __future__ import annotations
