"""Values of a call: drawn, suggested by comparisons, or taken from earlier calls.

Imports `exchanges` and `descriptions`, but not `learning`.  `learning` and what is above it import
this package.  Start at `call_maker`.

Where to find a decision:

- which values a call gets: `call_maker`; how many inputs it sends, `fullness`; which values
  comparisons suggest, `hints`
- which digits a checksum (Luhn, ISBN, IBAN) needs: `check_digits`
- which keys later calls contain: `key_ring`
"""

from __future__ import annotations
