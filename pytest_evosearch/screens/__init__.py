"""Pages and JSON answers as people see them: a screen has a state, and actions that it offers.

Start at `screen`.  Imports only `core`; `search`, `problem`, `report` and `engine` import it.

Where to find a decision:

- what is read from a page, in one pass: `page_contents`
- which pages are the same screen, and which actions a page offers: `screen`
- which words of a JSON answer tell the state of a resource: `answer_words`
- when a state is divided, which actions were tried, and where they led: `state_model`
- how an action is chosen (the interface; the selectors are in `search.selecting`): `choosing`
"""

from __future__ import annotations
