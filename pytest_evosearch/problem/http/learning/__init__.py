"""What answers teach: outcomes, recipes, admission, tokens, producers, pages.

Imports `filling` and what is below it.  Start at `learnt_refusals` and `outcomes`.

Where to find a decision:

- what is a success: `outcomes`; who was turned away, whatever the status: `learnt_refusals`, by the
  evidence of answers that are alike, `alike`
- which tokens (CSRF) forms want, and where they come from: `forgery`, linked by `linking`
- to whom a page shows its form: `pages`; who calls as whom, `admission`
- what validators of libraries teach: `validations`; HTTP Basic for registered users, `challenges`
- which state a test has led to: `states`; which calls hang, `freezes`
"""

from __future__ import annotations
