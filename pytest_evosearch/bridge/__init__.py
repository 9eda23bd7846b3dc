"""Everything that knows pytest: options, fixtures, the session, the terminal.

With `hookspecs` and `plugin` the only room that imports pytest.
"""

from __future__ import annotations
