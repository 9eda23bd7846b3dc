"""What the search learns from responses: outcomes, recipes, admission, tokens, producers, pages.

Imports `filling` and what is below it; `composing`, `doors` and `inquiries` import it.  Start at
`learnt_refusals` and `outcomes`.

Where to find a decision:

- what is a success: `outcomes`
- which callers were refused, whatever the status: `learnt_refusals`, which compares responses with
  `alike`; whether a view was executed to its end, `view_statements`
- which tokens (CSRF) forms need, and where they come from: `forgery`, linked by `linking`
- to whom a page shows its form: `pages`; which user sends a call, `admission`
- what validators of libraries say about values: `validations`; HTTP Basic for registered users,
  `challenges`
- which state a test has led to: `states`; which calls hang, `freezes`
"""

from __future__ import annotations
