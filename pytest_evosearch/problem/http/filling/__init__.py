"""Which values a call is filled with: drawn, hinted at by comparisons, or adopted.

Imports `exchanges` and `descriptions`; nothing of `learning`.  Start at `call_maker`.

Where to find a decision:

- which values a call gets: `call_maker`; what comparisons hint at, `hints`
- which digits a checked sum (Luhn, ISBN, IBAN) needs: `check_digits`
- which keys later calls hold: `key_ring`
"""

from __future__ import annotations
