"""Selectors: which action of a screen a walk does next.

Start at `selectors`, the table of all of them.  The interface is `screens.choosing`.  Imports
`screens`, `settings` and `core`; `engine` imports this package.

Where to find a decision:

- which selectors exist, and how one is made: `selectors`
- choice by chance and by counts of uses: `counting`
- choice by learnt values: `q_selector`
- choice by an evolved rule: `policy` (what a rule may ask), `evolution` (how one is made),
  `evolving` (how one is made during a run)
- choice of the selector of each walk, by what walks gained: `bandit`
"""

from __future__ import annotations
