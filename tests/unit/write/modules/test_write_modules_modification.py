"""Changed texts of modules, and what is remembered of them."""

from __future__ import annotations

import pytest

from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.modification import change_texts
from pytest_evosearch.write.modules.modification import objection
from pytest_evosearch.write.modules.suite_assembly import Assembly

FILE = "test_evosearch_orders.py"

TEXT = '''"""Tests."""

import pytest

ITEM = {"a": 1}


@pytest.fixture
def created(client):
    return client.post("/orders")


def test_show(client):
    assert client.get("/").status_code == 200


def test_edited(client):
    assert client.get("/mine")
'''


def assembly() -> Assembly:
    blocks = parse_existing(TEXT).blocks
    digests = {f"{FILE}::{name}": digest(blocks[name]) for name in ("created", "test_show")}
    return Assembly({FILE: TEXT}, digests={**digests, f"{FILE}::test_edited": "as it was"})


def test_digests_are_those_of_what_is_written() -> None:
    found = assembly()
    change_texts(found, lambda _name, text: text.replace("def test_", "# ours\ndef test_"))
    changed = parse_existing(found.texts[FILE])
    ledger = found.ledger
    assert ledger.knows(FILE, "test_show", changed.blocks["test_show"])
    assert ledger.knows(FILE, "created", changed.blocks["created"])
    assert found.digests[f"{FILE}::test_edited"] == "as it was"
    assert found.added == {}


def test_what_is_added_is_remembered_and_taken_out_again() -> None:
    found = assembly()
    addition = "\n\nimport re\n\nNUMBER = 1\n\n\ndef helper():\n    return NUMBER\n"
    change_texts(found, lambda _name, text: f"# licence\n{text}{addition}")
    ledger = Ledger.parse(found.ledger.dump())
    assert ledger == found.ledger
    left = parse_existing(found.texts[FILE]).without(ledger.added[FILE])
    assert left == parse_existing(TEXT)


def test_an_edited_addition_is_somebodys() -> None:
    found = assembly()
    change_texts(found, lambda _name, text: text + "\n\ndef helper():\n    return 1\n")
    edited = parse_existing(found.texts[FILE].replace("return 1", "return 2"))
    assert "helper" in edited.without(found.added[FILE]).blocks


def test_a_ledger_without_additions_is_as_ever() -> None:
    found = assembly()
    change_texts(found, lambda _name, text: text)
    assert "added" not in found.ledger.dump()


@pytest.mark.parametrize(
    ("after", "again", "message"),
    [
        (TEXT + "def", None, "is not valid Python: invalid syntax"),
        ("return 1\n" + TEXT, None, "is not valid Python: 'return' outside function"),
        (TEXT + "#\udcff", None, "is not valid Python: "),
        (TEXT, TEXT + "def", "is not valid Python: "),
        (TEXT.replace("test_show", "check"), None, "lacks test_show"),
        (TEXT.replace("def created", "def made"), None, "lacks created"),
        (TEXT + "\n\ndef test_more(): pass\n", None, "has another test, test_more"),
        (TEXT, TEXT.replace("200", "201"), "changes test_show again in each run"),
        (f"# licence\n{TEXT}", f"# licence\n# licence\n{TEXT}", None),
        (TEXT.replace("200", "201"), None, None),
    ],
)
def test_objections(after: str, again: str | None, message: str | None) -> None:
    found = objection(TEXT, after, again or after)
    assert (found or "").startswith(message or "")
    assert (found is None) == (message is None)
