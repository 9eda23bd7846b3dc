"""Writes the fixture that replaces clients of missing services by mocks."""

from __future__ import annotations

from collections.abc import Sequence

MOCKS_FIXTURE = "absent_services"


def absent_services_fixture(names: Sequence[str]) -> str:
    """Return the fixture; `names` are dotted names of the replaced objects."""
    patches = "".join(f'        patch.setattr("{name}", client)\n' for name in names)
    return (
        '@pytest.fixture(scope="session")\n'
        f"def {MOCKS_FIXTURE}():\n"
        '    """Replace clients of services that do not run during the tests by mocks."""\n'
        "    client = MagicMock()\n"
        "    with pytest.MonkeyPatch.context() as patch:\n"
        f"{patches}"
        "        yield\n"
    )
