"""Prevents two processes from testing at once where the project's fixtures share a file."""

from __future__ import annotations

from pytest_evosearch.write.modules.conftest_text import with_fixture

FIXTURE = '''
@pytest.fixture(autouse=True)
def one_process_at_a_time(tmp_path_factory):
    """Let only one process run a test at a time (``pytest -n 2``): the fixtures share a file."""
    lock = tmp_path_factory.getbasetemp().parent / "evosearch.lock"
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
'''


def with_lock(conftest: str | None) -> str:
    """Return a conftest.py with a lock around every test.

    `conftest` is the text of one that this tool has written, None for none.
    """
    return with_fixture(conftest, ["import fcntl"], FIXTURE)
