from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.instrument.__main__ import main


def test_the_transformed_source_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.py"
    file.write_text("def f(a):\n    return a == 1\n", encoding="utf-8")

    assert main([str(file)]) == 0
    everything = capsys.readouterr().out
    assert main([str(file), "1"]) == 0
    statements = capsys.readouterr().out

    assert "a == 1 if PROBES1.c0 is None else PROBES1.c0(a == 1, a, 1)" in everything
    assert "PROBES1.c0" not in statements
    assert "if PROBES1.s0 is not None:" in statements


def test_a_file_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 4
    assert "usage" in capsys.readouterr().err
