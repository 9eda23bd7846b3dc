"""What a project tells coverage.py to leave out, read by coverage.py itself.

Only a project whose settings speak of exclusion pays for the import.
"""

from __future__ import annotations

from pathlib import Path

FILES = (".coveragerc", ".coveragerc.toml", "setup.cfg", "tox.ini", "pyproject.toml")
"""Where coverage.py looks, in its order; it stops at the first that concerns it."""

OWN = frozenset(FILES[:2])


def excluded_lines(root: Path) -> tuple[str, ...] | None:
    """Return the patterns of lines that are no targets; None for coverage.py's own default.

    As coverage.py takes ``exclude_lines`` and ``exclude_also``, for a run in the folder `root`.
    """
    file = next((file for name in FILES if _concerns_coverage(file := root / name)), None)
    if file is None or "exclude_" not in _text(file):
        return None
    try:
        from coverage import Coverage

        measuring = Coverage(data_file=None, config_file=str(file))
        return tuple(str(pattern) for pattern in measuring.get_exclude_list("exclude"))
    except Exception:  # not installed, or settings that it refuses: it will say so itself
        return None


def _concerns_coverage(file: Path) -> bool:
    text = _text(file)
    return bool(text) and (file.name in OWN or "[coverage:" in text or "[tool.coverage." in text)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
