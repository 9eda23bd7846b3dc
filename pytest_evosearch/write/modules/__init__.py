"""Whole modules: their text, their files, and what people have made of them since."""

from __future__ import annotations
