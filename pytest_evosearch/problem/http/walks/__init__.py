"""Walks: tests that do what a person does, from screen to screen.

Start at `walks`.  A walk becomes an ordinary test of calls, so that the archive, minimising and
writing know nothing of it.  Imports `composing`, `screens` and what is below; `engine` imports it.

Where to find a decision:

- where a walk begins, when it ends, whether there are pages: `walks`
- to what a walk returns, and what is left to do there: `frontier`
- what follows an answer (redirects, dead ends, going on): `walk`
- how a link or a form becomes a call, and what is typed: `page_calls`
- the state of an application without pages: `resource_states`
"""

from __future__ import annotations
