"""The text of fixtures that written tests need; to be rendered by `write` one day.

Start at `support_text`.

Where to find a decision:

- the fixture that puts state back: `state_text`; databases, `database_text`; servers, `server_text`
"""

from __future__ import annotations
