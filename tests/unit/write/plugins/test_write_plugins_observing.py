from __future__ import annotations

import builtins
import json
from pathlib import Path

import pytest

from pytest_evosearch.write.plugins import observing
from pytest_evosearch.write.plugins import perturbation


@pytest.mark.parametrize("plugin", [observing, perturbation])
def test_an_entry_is_one_write_however_long_it_is(plugin, tmp_path, monkeypatch) -> None:
    # Processes append to one log: parts of a long entry would mix with those of others.
    writes = []
    monkeypatch.setenv("EVOSEARCH_VERIFY_LOG", str(tmp_path / "log"))
    monkeypatch.setattr(plugin, "_write", lambda _descriptor, content: writes.append(content))
    plugin._log({"left": "x" * 100_000})
    assert [json.loads(one) for one in writes] == [{"left": "x" * 100_000}]


@pytest.mark.parametrize("plugin", [observing, perturbation])
def test_an_application_that_replaces_what_writes_files_changes_no_entry(
    plugin, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("EVOSEARCH_VERIFY_LOG", str(tmp_path / "log"))
    monkeypatch.setattr(builtins, "open", None)
    monkeypatch.setattr(json, "dumps", lambda _value: "nothing")
    plugin._log({"number": 1})
    plugin._log({"number": 2})
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(one)["number"] for one in lines] == [1, 2]
