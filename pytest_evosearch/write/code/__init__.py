"""Python as text: values, statements, their layout, and the way back from source to values.

The lowest package of `write`: imports none of its others.

Where to find a decision:

- how a value is printed: `literals`; where lines break, `layout`
"""

from __future__ import annotations
