"""Written fixtures that change the process come before those that load the application.

pytest 9.1 and newer sets up the fixtures of a folder that every test uses in the order of their
names, each after all that it needs, so that a name decides.
"""

from __future__ import annotations

import re
from pathlib import Path

PRODUCT = Path(__file__).parents[4] / "pytest_evosearch"

DEFINED = re.compile(r"@pytest\.fixture\((.*?)autouse=True\)\ndef (\w+)")


def test_fixtures_for_all_tests_have_names_before_those_for_each_test() -> None:
    found = [match for path in PRODUCT.rglob("*.py") for match in DEFINED.findall(path.read_text())]
    for_all = [name for scope, name in found if "session" in scope]
    for_each = [name for scope, name in found if "session" not in scope]

    assert "added_variables_of_files" in for_all
    assert "restored_documents" in for_each
    assert max(for_all) < min(for_each)
