"""An application whose routes are added by the program that starts its server."""

from __future__ import annotations

from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
from flask import Blueprint, Flask

app = Flask(__name__)
pages = Blueprint("pages", __name__)
visits = []


@pages.get("/")
def index():
    visits.append(1)
    return {"visits": len(visits)}
"""

PROGRAM = """
import argparse

from web import app, pages

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8080)
    port = parser.parse_args().port
    app.register_blueprint(pages)
    app.run(port=port)
"""


def test_program_is_run_until_its_server_starts(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(web=APPLICATION, serve=PROGRAM)

    result = project.run("--evosearch=30x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*app *serve.py, until flask.Flask.run() found without fixtures*"])
    conftest = (project.path / "evosearch" / "conftest.py").read_text()
    fixture = '''
        def flask_app():
            """What the program serves."""
            import serve

            served = []

            def start_server(application, *args, **kwargs):
                served.append(application)
                raise SystemExit

            with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
                patch.setattr("flask.Flask.run", start_server)
                patch.setattr(sys, "argv", ["serve.py"])
                run_main_block(serve)
            return served[0]
        '''
    assert dedent(fixture) in conftest
    again = project.pytester.runpytest_subprocess("evosearch", "-W", "error", "-p", "no:randomly")
    again.assert_outcomes(passed=1)
