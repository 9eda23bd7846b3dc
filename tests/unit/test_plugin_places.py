"""The entry point names places that it does not import; here they are held to their rooms."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch import plugin
from pytest_evosearch.bridge.left_servers import JOURNAL
from pytest_evosearch.core.failing.putting_back import PLACE
from pytest_evosearch.core.folder_names import KEPT


def test_kept_files_are_looked_for_where_runs_keep_them() -> None:
    assert f"{KEPT}/{plugin.UNFINISHED}" == PLACE


def test_the_journal_of_servers_is_looked_for_where_runs_keep_it() -> None:
    assert Path(KEPT, plugin.SERVERS) == JOURNAL
