"""What stands in one test: facts, calls, references, clients, faults, and words for them.

Imports `code` and `answers`.  Start at `builder`.

Where to find a decision:

- which facts a test asserts: `facts`, `assertions`, of JSON `json_facts`, of XML `xml_facts`;
  which it may, `expectations`
- what is lost with a test: `specimen`
- how headers are spelled: `spelling`; mails that are read, `mailed`
"""

from __future__ import annotations
