from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

ALL_SORTS = """
import re


@hook
def pytest_evosearch_modify_module(config, module):
    assert module.name.startswith("test_evosearch_")
    text = re.sub(r"(?<!# ours\\n)(?m:^def test_)", r"# ours\\ndef test_", module.text)
    text = "# SPDX-License-Identifier: MIT\\n" + text
    return text + "\\n\\nNUMBER = 7\\n\\n\\ndef number():\\n    return NUMBER\\n"
"""

BROKEN = """
@hook
def pytest_evosearch_modify_module(module):
    return module.text + "def"
"""


def contents(orders) -> dict[str, str]:
    found = {
        path.name: path.read_text()
        for path in (orders.path / "evosearch").iterdir()
        if path.is_file()
    }
    assert ".evosearch.json" in found
    return found


def test_what_was_added_stays_through_runs_and_edits_and_goes_with_the_hook(orders) -> None:
    assert orders.search_with(ALL_SORTS, budget="50x").ret == 0
    first, modules = contents(orders), orders.modules
    assert all(text.startswith("# SPDX-License") for text in modules.values())
    assert orders.passes_without_plugin()

    # The same seed changes nothing.
    assert orders.search_with(ALL_SORTS, budget="50x").ret == 0
    assert contents(orders) == first

    # Edited tests are kept, and another seed touches none.
    name = next(name for name, text in modules.items() if "404" in text)
    path = orders.path / "evosearch" / name
    path.write_text(path.read_text().replace("== 404", "== 404  # by hand"))
    orders.search_with(ALL_SORTS, budget="50x")
    assert "== 404  # by hand" in orders.modules[name]
    assert orders.search_with(ALL_SORTS, budget="50x", seed=2).ret == 0
    assert "== 404  # by hand" in orders.modules[name]
    for name, text in modules.items():
        for added in ("SPDX", "NUMBER = 7", "def number"):
            assert orders.modules[name].count(added) == text.count(added) == 1

    # Without the hook, what it added is gone.
    orders.search_with("", budget="50x")
    assert "NUMBER" not in orders.written
    assert orders.passes_without_plugin()


def test_what_cannot_be_written_costs_a_line(orders) -> None:
    result = orders.search_with(BROKEN, budget="30x")
    assert result.ret == 0
    told = "hook pytest_evosearch_modify_module (*): what it returned for * is not valid Python: *"
    result.stdout.fnmatch_lines([f"evosearch: {told}"])
    assert orders.passes_without_plugin()
