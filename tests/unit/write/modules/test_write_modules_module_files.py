from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.modules.module_files import namesakes
from pytest_evosearch.write.updating.update import _remembered


def test_writable_folder_is_not_made(tmp_path: Path) -> None:
    check_writable(tmp_path / "tests" / "evosearch")

    assert list(tmp_path.iterdir()) == []


def test_file_in_the_way_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "tests").touch()

    with pytest.raises(EvosearchUsageError, match="is not a folder") as raised:
        check_writable(tmp_path / "tests" / "evosearch")

    assert "\n" not in str(raised.value)
    assert "--evosearch-output" in str(raised.value)


def test_read_only_folder_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        "pytest_evosearch.write.modules.module_files.tempfile.TemporaryFile", refuse
    )

    with pytest.raises(EvosearchUsageError, match="Permission denied; make it writable"):
        check_writable(tmp_path)


@pytest.mark.parametrize(
    ("packages", "expected"),
    [
        ((), {"test_evosearch_users.py"}),
        (("one/tests", "one/tests/evosearch"), set()),
        (("two/tests",), set()),
    ],
)
def test_modules_of_other_folders_hide_ours_unless_one_is_in_a_package(
    tmp_path: Path, packages: tuple[str, ...], expected: set[str]
) -> None:
    for project in ("one", "two"):
        folder = tmp_path / project / "tests" / "evosearch"
        folder.mkdir(parents=True)
        (folder / "test_evosearch_users.py").touch()
        (folder / "test_other.py").touch()
    for package in packages:
        (tmp_path / package / "__init__.py").touch()

    assert namesakes(tmp_path / "two" / "tests" / "evosearch", tmp_path) == expected


def test_digest_is_blind_to_the_name_only() -> None:
    assert digest("def test_a(client):\n    pass") == digest("def test_b(client):\n    pass  \n")
    assert digest("def test_a(client):\n    pass") != digest("def test_a(client):\n    return")


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"version": 99, "tests": {}}'])
def test_unreadable_ledger_is_a_missing_one(text: str | None) -> None:
    assert Ledger.parse(text).tests is None


def test_ledger_reads_back() -> None:
    assert Ledger.parse(Ledger({"a::b": "c"}).dump()).tests == {"a::b": "c"}


def test_existing_module_is_taken_apart() -> None:
    module = parse_existing(
        '"""Doc."""\nimport os\n\nA = 1\n\n\n'
        "# why\n@mark\ndef test_a():\n    pass\n\n\ndef b(): ...\n"
    )

    assert [one.names for one in module.definitions] == [("os",), ("A",), ("test_a",), ("b",)]
    assert module.tests == {"test_a": "# why\n@mark\ndef test_a():\n    pass"}


def test_what_is_no_python_is_unreadable() -> None:
    assert not parse_existing("def (").readable


@pytest.mark.parametrize("runs", ['{"first": 5}', '{"first": null}', '{"first": "a::b"}'])
def test_damaged_runs_of_a_ledger_are_forgotten(runs: str) -> None:
    text = f'{{"version": 1, "tests": {{"a::b": "c"}}, "runs": {runs}}}'

    ledger = Ledger.parse(text)

    assert (ledger.tests, ledger.runs) == ({"a::b": "c"}, {})


def test_a_renamed_test_keeps_the_run_that_wrote_it() -> None:
    ledger = Ledger({"m.py::test_a": "x", "m.py::test_b": "y"}, {"first": ("m.py::test_a",)})
    texts = {"m.py": "def test_c(client):\n    pass\n\n\ndef test_b(client):\n    pass\n"}

    remembered = _remembered(ledger, texts, {"m.py": {"test_a": "test_c"}})

    assert remembered.runs == {"first": ("m.py::test_c",)}
