"""The project's tests are ``unittest`` classes: borrow the set-up of their base class."""

import pytest
from tests_base import BaseTestCase


@pytest.fixture
def case():
    case = BaseTestCase()
    case.setUp()
    yield case
    case.tearDown()
    case.doCleanups()


@pytest.fixture
def app(case):
    return case.app


@pytest.fixture
def client(case):
    return case.client
