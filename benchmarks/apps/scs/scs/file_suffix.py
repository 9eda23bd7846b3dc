"""File suffixes."""

from __future__ import annotations


def judge_suffix(directory: str, file: str) -> int:
    """Say which known directory a file lies in that has the suffix for it; 0 for none."""
    result = 0
    parts = file.split(".")
    if len(parts) > 1:
        suffix = parts[-1]
        if directory == "text":
            if suffix == "txt":
                result = 1
        if directory == "acrobat":
            if suffix == "pdf":
                result = 2
        if directory == "word":
            if suffix == "doc":
                result = 3
        if directory == "bin":
            if suffix == "exe":
                result = 4
        if directory == "lib":
            if suffix == "dll":
                result = 5
    return result
