"""Hooks of a versioned API: its contract, what every request carries, what only we know.

``optionalhook=True`` keeps this file valid where the plugin is not installed.
"""

import pytest
from parcels import create_app

ADDRESSES = {"EH1 2NG": "Castlehill, Edinburgh", "BT1 5GS": "Donegall Square, Belfast"}

LICENCE = "# SPDX-License-Identifier: MIT\n"


@pytest.fixture
def app():
    app = create_app(find_address=ADDRESSES.get)
    app.testing = True
    return app


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_schema(config):
    # A path that is relative to the root folder would do as well.
    return config.rootpath / "contract.json"


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_select_endpoint(endpoint):
    return endpoint.blueprint != "admin"


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_values(endpoint, parameter):
    if endpoint.name == "send" and parameter.name == "postcode":
        return list(ADDRESSES)
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_request(request):
    # What the search sends by itself is left alone: the other version, or none.
    request.headers.setdefault("X-Api-Version", "2024-06-01")


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_unstable(path):
    return "the carrier's own number" if path.endswith(".carrier") else None


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_modify_module(module):
    return LICENCE + module.text
