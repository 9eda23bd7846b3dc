"""What is known of each library that hashes passwords: one module a library.

    cheap     its hashes take microseconds during a search
    watched   its checks report both sides
    source    how a written test makes a hash, or accepts any password

Start at `password_libraries`.  Verification runs import it with a copy of
`sut.shortcuts.password_hashing`, so it loads little.  Imports `core` and `sut.patches` only; other
packages of `sut`, and `engine`, import it.
"""

from __future__ import annotations
