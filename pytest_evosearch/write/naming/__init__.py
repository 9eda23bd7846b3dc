"""What tests are called, and which stand together: names, rows, tables, the plan of a suite."""

from __future__ import annotations
