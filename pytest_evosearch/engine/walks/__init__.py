"""Walks over pages in a search: when they are due, and what is kept of them.

Start at `page_walks`.  Imports `problem.http.walks` and `execution`; `engine` imports it.
"""

from __future__ import annotations
