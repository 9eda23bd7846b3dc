from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader

import pytest_evosearch
from pytest_evosearch.bridge.imports.own_modules import OwnModuleFinder
from pytest_evosearch.bridge.imports.own_modules import serve_own_modules
from pytest_evosearch.bridge.imports.own_modules import stop_serving


def test_our_modules_have_the_loader_of_the_standard_library() -> None:
    spec = OwnModuleFinder().find_spec("pytest_evosearch.errors", pytest_evosearch.__path__)
    assert spec is not None
    assert type(spec.loader) is SourceFileLoader


def test_other_packages_and_the_root_package_are_left_to_others() -> None:
    finder = OwnModuleFinder()
    assert finder.find_spec("pytest_evosearch", None) is None
    assert finder.find_spec("json.decoder", sys.path) is None
    assert finder.find_spec("pytest_evosearch_more.errors", pytest_evosearch.__path__) is None


def test_serving_stands_first_until_it_is_stopped() -> None:
    before = list(sys.meta_path)
    finder = serve_own_modules()
    assert sys.meta_path == [finder, *before]
    stop_serving(finder)
    stop_serving(finder)
    assert sys.meta_path == before
