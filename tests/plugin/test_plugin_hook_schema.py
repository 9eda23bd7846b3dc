from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

DOCUMENT = """
openapi: 3.0.0
info: {title: orders, version: "1"}
paths:
  /orders:
    post:
      parameters:
        - {name: gift, in: query, schema: {type: boolean}}
      responses: {"201": {description: created}}
"""

RETURNING = """
@hook
def pytest_evosearch_schema(config, app):
    assert app.name == "orders"
    return %s
"""

ROW = "*schema   hook pytest_evosearch_schema (conftest.py:*)"


@pytest.mark.parametrize(
    "returned",
    [
        repr(DOCUMENT),
        f"__import__('yaml').safe_load({DOCUMENT!r})",
        "config.rootpath / 'contract.yaml'",
        "'contract.yaml'",
    ],
    ids=["text", "dict", "path", "relative"],
)
def test_document_is_used(orders, returned: str) -> None:
    (orders.path / "contract.yaml").write_text(DOCUMENT)
    result = orders.search_with(RETURNING % returned, "--collect-only")
    assert result.ret == 0
    result.stdout.fnmatch_lines([ROW])
    assert "gift" in result.stdout.str()


def test_option_wins(orders) -> None:
    (orders.path / "given.yaml").write_text(DOCUMENT.replace("gift", "urgent"))
    result = orders.search_with(
        RETURNING % "'no document'", "--evosearch-schema=given.yaml", "--collect-only"
    )
    assert result.ret == 0
    assert "urgent" in result.stdout.str()


def test_nothing_leaves_it_to_discovery(orders) -> None:
    (orders.path / "openapi.yaml").write_text(DOCUMENT)
    result = orders.search_with(RETURNING % "None", "--evosearch-plan")
    result.stdout.fnmatch_lines(["*schema   file openapi.yaml"])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("{'paths': {}}", "*does not give an OpenAPI document: return a dict*"),
        ("'nowhere.yaml'", "*gives 'nowhere.yaml': no such file*"),
        ("'/nowhere'", "*gives '/nowhere': the route answers 404*"),
        ("1 / 0", "*raised ZeroDivisionError: division by zero"),
    ],
)
def test_what_is_no_document_is_a_usage_error(orders, returned: str, message: str) -> None:
    result = orders.search_with(RETURNING % returned)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"ERROR: evosearch: hook pytest_evosearch_schema (conftest.py:*){message}"]
    )
