"""Python as text: values, statements, their layout, and the way back from source to values."""

from __future__ import annotations
