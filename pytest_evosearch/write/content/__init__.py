"""The content of one test: facts, calls, references, clients, faults, and words for them.

Start at `builder`.  Imports `code` and `answers`; `naming`, `modules`, `verification`, `updating`,
`harvest` and `engine` import it.

Where to find a decision:

- which facts a test asserts: `facts`, `assertions`; of JSON, `json_facts`; of XML, `xml_facts`;
  which facts it may assert, `expectations`
- which targets are lost without a test: `specimen`
- what services answer in a test, and what they were asked: `stubbed_services`
- how headers are spelled: `spelling`; which mails are read, `mailed`
"""

from __future__ import annotations
