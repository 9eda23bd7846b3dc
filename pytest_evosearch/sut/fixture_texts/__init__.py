"""The text of fixtures that written tests need, made where what they bring back is known.

Start at `support_text`.

Where to find a decision:

- the fixture that puts state back: `state_text`; databases, `database_text`; servers, `server_text`
"""

from __future__ import annotations
