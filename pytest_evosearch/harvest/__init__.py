"""From the archive to the tests worth writing: chosen, reduced, made readable, repeated.

May import everything below rank 6; never pytest or Flask.
"""

from __future__ import annotations
