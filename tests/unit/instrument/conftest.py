from __future__ import annotations

import importlib
import itertools
import sys
import textwrap
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import install


class Instrumented(NamedTuple):
    module: ModuleType
    recording: Recording


Load = Callable[..., Instrumented]


@pytest.fixture
def load_instrumented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Write a module called ``subject``, and import it instrumented."""
    monkeypatch.syspath_prepend(tmp_path)
    recordings: list[Recording] = []
    folders = itertools.count()

    def load(source: str, level: int = 3) -> Instrumented:
        folder = tmp_path / f"load{next(folders)}"
        folder.mkdir()
        (folder / "subject.py").write_text(textwrap.dedent(source), encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, "subject", raising=False)
        recording = install(["subject"], level=level)
        recordings.append(recording)
        module = importlib.import_module("subject")
        assert recording.notices == []
        return Instrumented(module, recording)

    yield load
    sys.modules.pop("subject", None)
    for recording in recordings:
        recording.uninstall()
