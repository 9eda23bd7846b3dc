from __future__ import annotations

import pluggy
import pytest

from pytest_evosearch.bridge.hook_wiring.hook_names import check_hook_names


class Misspelt:
    def pytest_evosearch_acounts(self) -> None: ...


def test_a_misspelt_hook_is_named_by_a_pluggy_without_a_public_class_of_hooks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(pluggy, "HookCaller")  # as before 1.3
    manager = pytest.PytestPluginManager()
    check_hook_names(manager)

    manager.register(Misspelt())

    with pytest.raises(pytest.UsageError, match="unknown hook 'pytest_evosearch_acounts'"):
        check_hook_names(manager)
