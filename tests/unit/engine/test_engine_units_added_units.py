"""The units that are searched after the requests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.engine.units.added_units import units_in
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.settings.checked import ApplicationSettings


def test_only_what_was_searched_is_looked_at_and_no_other_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "walled_orchard"
    package.mkdir()
    (package / "__init__.py").write_text("def plant(tree): return tree\n")
    (package / "resetting.py").write_text("def reset(): return 'everything is gone'\n")
    monkeypatch.syspath_prepend(tmp_path)

    found = [one.key for one in units_in(["walled_orchard"], ApplicationSettings())]

    assert found == ["walled_orchard:plant"]
    assert "walled_orchard.resetting" not in sys.modules
    whole = {one.key for one in units_of(["walled_orchard"])}
    assert whole == {"walled_orchard:plant", "walled_orchard.resetting:reset"}
