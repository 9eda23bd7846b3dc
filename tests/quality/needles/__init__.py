"""Applications with one planted needle each: a line, marked ``# goal``, that chance misses."""
