"""Private copies of standard modules, made before the application can patch them.

freezegun, time-machine, `unittest.mock` and applications replace attributes of `time`, `random`,
`os` and `json`; a search itself replaces ``gc.collect``.  A copy of the module object keeps the
original functions.  coverage.py's ``isolate_module`` does this.
"""

from __future__ import annotations

import faulthandler as _faulthandler
import gc as _gc
import json as _json
import os as _os
import random as _random
import time as _time
from types import ModuleType
from typing import TYPE_CHECKING


def isolate(module: ModuleType) -> ModuleType:
    """Copy `module`, so that the copy does not see later patches of its attributes."""
    copy = ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update(module.__dict__)
    return copy


if TYPE_CHECKING:
    import faulthandler
    import gc
    import json
    import os
    import random
    import time
else:
    faulthandler = isolate(_faulthandler)
    gc = isolate(_gc)
    json = isolate(_json)
    os = isolate(_os)
    random = isolate(_random)
    time = isolate(_time)

__all__ = ["faulthandler", "gc", "isolate", "json", "os", "random", "time"]
