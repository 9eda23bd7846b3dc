"""Applications of pages with planted faults: a line, marked ``# goal``, after several actions."""
