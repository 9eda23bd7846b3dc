from __future__ import annotations

import pytest

from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.modules.conftest_text import with_missing_fixtures

WRITTEN = "import pytest\n\n\n@pytest.fixture\ndef client(app, db, user):\n    ...\n"


@pytest.mark.parametrize(
    ("existing", "fixtures"),
    [
        (WRITTEN, ()),
        (WRITTEN.replace(", db, user", ""), ("db", "user")),
        (WRITTEN.replace("app, db, user", "shop, user"), ("db",)),
        (WRITTEN.replace("client", "browser"), ()),
        ("no Python", ()),
        ("", ()),
    ],
    ids=["as today", "older", "by hand", "no client", "no Python", "empty"],
)
def test_tests_ask_for_what_the_client_of_an_older_conftest_does_not(
    existing: str, fixtures: tuple[str, ...]
) -> None:
    assert with_missing_fixtures(Support(conftest=WRITTEN), existing).fixtures == fixtures


def test_a_project_with_a_client_of_its_own_needs_nothing() -> None:
    support = Support(fixtures=("db",))

    assert with_missing_fixtures(support, WRITTEN) == support
