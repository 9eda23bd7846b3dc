"""Written tests in fresh interpreters: run, measured, repaired, and tidied up after."""

from __future__ import annotations
