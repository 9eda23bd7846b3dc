"""Reads the project's format of code: line length and quotes, for black or ruff.

Black's other settings do not matter. Without string normalisation or magic trailing commas, it does
not change our text either: only code that does not fit is split.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_evosearch.write.code.layout import BLACK_LINE_LENGTH
from pytest_evosearch.write.code.layout import Layout

SHORTEST_LINE, LONGEST_LINE = 40, 200
"""Limits of a line length in columns; other values count as mistakes."""

RUFF_FILES = ("ruff.toml", ".ruff.toml")

Sections = Mapping[str, Mapping[str, str]]


def project_layout(root: Path) -> Layout:
    """Return the layout in the settings of the project's formatter in `root`."""
    sections: dict[str, Mapping[str, str]] = {**settings_in(_text(root / "pyproject.toml"))}
    for name in RUFF_FILES:
        own = {f"tool.ruff{'.' if part else ''}{part}": one for part, one in _of(root / name)}
        sections = {**sections, **own}
    return layout_of(sections)


def _of(path: Path) -> list[tuple[str, Mapping[str, str]]]:
    return list(settings_in(_text(path)).items())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def layout_of(sections: Sections) -> Layout:
    """Return the layout for the settings of a ``pyproject.toml``: black's, otherwise ruff's."""
    wanted = ("tool.black", "tool.ruff")
    lengths = [_line_length(sections.get(section, {})) for section in wanted]
    length = next((one for one in lengths if one), BLACK_LINE_LENGTH)
    style = sections.get("tool.ruff.format", {}).get("quote-style", "")
    # Black only knows double quotes, or leaves quotes alone.
    single = style.strip("\"'") == "single" and "tool.black" not in sections
    return Layout(length, "'" if single else '"')


def _line_length(section: Mapping[str, str]) -> int:
    value = section.get("line-length", "")
    length = int(value) if value.isdigit() else 0
    return length if SHORTEST_LINE <= length <= LONGEST_LINE else 0


def settings_in(text: str) -> dict[str, dict[str, str]]:
    """Return the one-line settings of each section in source form, without a TOML parser.

    Python 3.10 has no TOML parser in its standard library, and these settings are only numbers and
    words. Underscores in names become hyphens.
    """
    found: dict[str, dict[str, str]] = {}
    section = ""
    for line in text.splitlines():
        stripped = line.partition("#")[0].strip()
        if stripped.startswith("["):
            section = stripped.strip("[] ")
            found.setdefault(section, {})
            continue
        key, equals, value = (part.strip() for part in stripped.partition("="))
        if equals:
            found.setdefault(section, {}).setdefault(key.strip('"').replace("_", "-"), value)
    return found
