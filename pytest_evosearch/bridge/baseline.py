"""A file of known faults that a project commits, so that a build fails only for new ones.

The first run that names the file writes it; after that only people change it.  Remove a line to
have that fault reported again; remove the file to begin again.  A fault is known by its identity
(`report.identity`), which survives edits elsewhere in the source.  The rest of an entry is for
readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome

VERSION = 1


def check_baseline(path: Path | None) -> None:
    """Raise `InvalidSetting` before the search when the file exists and is no baseline."""
    if path is not None:
        _read(path)


class Baseline:
    """The faults in a committed file, as a container of identities."""

    def __init__(self, path: Path, outcome: Outcome) -> None:
        self._path = path
        self._faults = dict(zip(fault_identities(outcome), outcome.faults, strict=True))
        self._known = _read(path)

    @property
    def is_new(self) -> bool:
        """Say whether the file still has to be written."""
        return self._known is None

    def __contains__(self, identity: object) -> bool:
        return self._known is None or identity in self._known

    @property
    def gone(self) -> int:
        """Return the number of listed faults that this run did not find: some may be fixed."""
        return len((self._known or frozenset()) - self._faults.keys())

    def write(self) -> None:
        """Write the faults of this run, in the order of their endpoints."""
        rows = sorted(self._faults.items(), key=lambda item: (item[1].endpoint, item[0]))
        entries = [_entry(identity, fault) for identity, fault in rows]
        text = json.dumps({"version": VERSION, "faults": entries}, indent=2)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(text + "\n", encoding="utf-8")


def _entry(identity: str, fault: FaultRow) -> dict[str, str]:
    return {
        "id": identity,
        "code": fault.code,
        "endpoint": fault.endpoint,
        "kind": fault.kind,
        "file": fault.file,
    }


def _read(path: Path) -> frozenset[str] | None:
    """Return the identities in the file; None without a file.

    Raise `InvalidSetting` when the file is no baseline.
    """
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        entries: Sequence[Any] = content["faults"]
        return frozenset(str(entry["id"]) for entry in entries)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidSetting(
            f"--evosearch-baseline={path}: not a list of faults ({type(error).__name__}); "
            "remove the file and the next run writes it"
        ) from None
