from __future__ import annotations

import pytest

pytest.importorskip("xdist")


def test_no_worker_is_started(shop) -> None:
    result = shop.search("-p", "xdist", "-n", "2", script="load")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*2 workers*")


def test_workers_of_addopts_do_not_search(shop) -> None:
    shop.pytester.makeini("[pytest]\naddopts = -p xdist --numprocesses=2 --dist=loadscope\n")
    result = shop.search()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["reproduce: pytest*"])
    result.stdout.no_fnmatch_line("*-n 2*")


def test_worker_does_not_search(shop) -> None:
    shop.write(
        conftest="""
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    config.workerinput = {}


@pytest.fixture
def client():
    return None
""",
        test_shop="def test_alive(client): pass\n",
    )
    # pytest_configure comes after pytest_cmdline_main began, as in a real worker
    result = shop.search()
    result.assert_outcomes(passed=1)
    assert not (shop.path / "told.json").exists()


def test_tests_still_run_in_parallel(shop) -> None:
    shop.run("-p", "xdist", "-n", "2", subprocess=True).assert_outcomes(passed=1)
