"""What responses contain for a reader: texts of pages, messages, dates, versions, differences.

Start at `page_texts`.  Imports only `code` of its neighbours; `content`, `naming`, `updating` and
`harvest` import it.

Where to find a decision:

- which texts of a page a person sees: `page_texts`; which message says what is wrong, `messages`
- what changes tomorrow or with another version: `today`, `versions`
- how stubs of services are spelled, and with which library: `stub_styles`
- where two responses differ: `differences`; when a text looks random, `traits`
"""

from __future__ import annotations
