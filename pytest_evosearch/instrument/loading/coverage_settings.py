"""Reads a project's exclusions for coverage.py, with coverage.py itself.

coverage.py is only imported when the settings contain exclusions.
"""

from __future__ import annotations

from pathlib import Path

FILES = (".coveragerc", ".coveragerc.toml", "setup.cfg", "tox.ini", "pyproject.toml")
"""Files that coverage.py reads, in order; it stops at the first with its settings."""

OWN = frozenset(FILES[:2])


def excluded_lines(root: Path) -> tuple[str, ...] | None:
    """Return the patterns of lines that are no targets; None for coverage.py's own default.

    They combine ``exclude_lines`` and ``exclude_also`` as coverage.py does, for a run in `root`.
    """
    file = next((file for name in FILES if _concerns_coverage(file := root / name)), None)
    if file is None or "exclude_" not in _text(file):
        return None
    try:
        from coverage import Coverage

        measuring = Coverage(data_file=None, config_file=str(file))
        return tuple(str(pattern) for pattern in measuring.get_exclude_list("exclude"))
    except Exception:  # not installed, or settings that it refuses: it will report them itself
        return None


def _concerns_coverage(file: Path) -> bool:
    text = _text(file)
    return bool(text) and (file.name in OWN or "[coverage:" in text or "[tool.coverage." in text)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
