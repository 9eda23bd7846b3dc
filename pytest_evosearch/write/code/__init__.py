"""Python as text: values, statements, their layout, and the way back from source to values.

Start at `literals`.  This is the lowest package of `write`: it imports nothing else of the plugin,
and every other package of `write` may import it.

Where to find a decision:

- how a value is printed: `literals`; where lines break, `layout`
"""

from __future__ import annotations
