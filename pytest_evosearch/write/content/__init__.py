"""What stands in one test: facts, calls, references, clients, faults, and words for them.

Imports `code`.  Start at `builder`.

Where to find a decision:

- which facts a test asserts: `facts`, `assertions`, of XML `xml_facts`; which it may,
  `expectations`
- what is lost with a test: `specimen`
- how headers are spelled: `spelling`; mails that are read, `mailed`
"""

from __future__ import annotations
