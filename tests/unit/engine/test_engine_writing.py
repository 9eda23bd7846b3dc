from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.preparing.folders import shown_path
from pytest_evosearch.engine.writing import final_support
from pytest_evosearch.problem.http.exchanges.consequences import Consequences
from pytest_evosearch.settings.checked import ReportSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.checked import SuiteSettings
from pytest_evosearch.sut.asgi import AsgiFront
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.shortcuts.eager_tasks import EagerTasks
from pytest_evosearch.sut.state.reset import choose_keeper
from pytest_evosearch.write.content.specimen import Specimen


def settings(root: Path, output: Path | None = None, report: Path | None = None) -> Settings:
    suite, reports = SuiteSettings(output=output), ReportSettings(report=report)
    return Settings(Budget.parse("1x"), 1, root, suite=suite, reports=reports)


def test_output_is_what_the_user_says(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    assert output_folder(settings(tmp_path, chosen), Support(directory="/elsewhere")) == chosen


def test_output_lies_beside_the_conftest_of_the_client(tmp_path: Path) -> None:
    support = Support(directory=str(tmp_path / "tests" / "api"))
    assert output_folder(settings(tmp_path), support) == tmp_path / "tests" / "api" / "evosearch"


def test_output_of_a_project_without_fixtures(tmp_path: Path) -> None:
    assert output_folder(settings(tmp_path), Support()) == tmp_path / "evosearch"
    (tmp_path / "tests").mkdir()
    assert output_folder(settings(tmp_path), Support()) == tmp_path / "tests" / "evosearch"


def test_report_folder(tmp_path: Path) -> None:
    default = tmp_path / ".pytest_cache" / "d" / "evosearch"
    assert report_folder(settings(tmp_path)) == default
    assert report_folder(settings(tmp_path, report=tmp_path / "here")) == tmp_path / "here"


def test_shown_path_is_short_where_it_can_be(tmp_path: Path) -> None:
    assert shown_path(tmp_path / "tests", tmp_path) == "tests/"
    assert shown_path(Path("/elsewhere"), tmp_path) == "/elsewhere/"


@pytest.mark.parametrize("kept", [False, True])
def test_requests_get_contexts_of_their_own_where_something_is_left_in_theirs(
    tmp_path: Path, kept: bool
) -> None:
    app = Flask("shop")
    ready = SimpleNamespace(
        handle=SimpleNamespace(app=app, support=Support()),
        state=SimpleNamespace(keeper=choose_keeper(app, [])),
        fence=Fence(),
        tasks=EagerTasks(),
        admitted=SimpleNamespace(sources=(), signed=SimpleNamespace(source=None)),
    )
    specimens = [Specimen((), consequences=Consequences(keeps_context=kept))]

    support = final_support(settings(tmp_path), ready, tmp_path, specimens)  # type: ignore[arg-type]

    assert ("contextvars.Context().run" in (support.conftest or "")) is kept


@pytest.mark.parametrize("waits", [False, True])
def test_tests_wait_for_the_threads_that_some_of_them_leave(tmp_path: Path, waits: bool) -> None:
    app = Flask("shop")
    ready = SimpleNamespace(
        handle=SimpleNamespace(app=app, support=Support(client_fixture="web")),
        state=SimpleNamespace(keeper=choose_keeper(app, [])),
        fence=Fence(),
        tasks=EagerTasks(),
        admitted=SimpleNamespace(sources=(), signed=SimpleNamespace(source=None)),
    )
    specimens = [Specimen(()), Specimen((), consequences=Consequences(leaves_threads=waits))]

    support = final_support(settings(tmp_path), ready, tmp_path, specimens)  # type: ignore[arg-type]

    assert ("def threads_ended(web):" in (support.conftest or "")) is waits


@pytest.mark.parametrize("behind", [False, True])
def test_settings_are_restored_where_the_client_knows_the_application(
    tmp_path: Path, behind: bool
) -> None:
    app = Flask("shop")
    if behind:
        app.wsgi_app = object.__new__(AsgiFront)  # type: ignore[method-assign]
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    app.config["GREETING"] = "Hello"
    keeper.restore()
    handle = SimpleNamespace(app=app, support=Support())
    state = SimpleNamespace(keeper=keeper)
    found = SimpleNamespace(sources=(), signed=SimpleNamespace(source=None))
    ready = SimpleNamespace(
        handle=handle, state=state, tasks=EagerTasks(), admitted=found, fence=Fence()
    )

    support = final_support(settings(tmp_path), ready, tmp_path, [])  # type: ignore[arg-type]

    assert ("def restored_settings(client):" in (support.conftest or "")) is not behind


@pytest.mark.parametrize("lasting", [False, True])
def test_what_hangs_at_the_application_is_restored_where_tests_share_it(
    tmp_path: Path, lasting: bool
) -> None:
    app = Flask("shop")
    app.total = 0  # type: ignore[attr-defined]
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    app.total = 1  # type: ignore[attr-defined]
    keeper.restore()
    handle = SimpleNamespace(app=app, support=Support(lasting=lasting))
    found = SimpleNamespace(sources=(), signed=SimpleNamespace(source=None))
    state = SimpleNamespace(keeper=keeper)
    ready = SimpleNamespace(
        handle=handle, state=state, tasks=EagerTasks(), admitted=found, fence=Fence()
    )

    support = final_support(settings(tmp_path), ready, tmp_path, [])  # type: ignore[arg-type]

    assert ("def restored_application(client):" in (support.conftest or "")) is lasting
