"""Keeps an application that nobody prepared for tests from doing harm."""

from __future__ import annotations
