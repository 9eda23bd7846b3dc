"""Typed gene trees: values that know their type, their constraints and how to vary.

Usable alone: a gene has never heard of HTTP, Flask or a search.  May import `core` and
`errors` only.  Genes are immutable; every operation returns a new tree that shares what
did not change, so individuals in an archive can never be spoilt by a later mutation.
"""

from __future__ import annotations
