"""What answers say to a reader: texts of pages, messages, dates, versions, differences.

Imports `code` of the packages of `write`; `content` and `naming` read from here.

Where to find a decision:

- which texts of a page a person sees: `page_texts`; which message says what is wrong, `messages`
- what changes tomorrow or with another version: `today`, `versions`
- where two answers differ: `differences`; what makes a text look random, `traits`
"""

from __future__ import annotations
