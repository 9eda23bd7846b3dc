"""A seeded search is let in by each application, and finds the fault behind the door."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.trial import search_application
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import kind_of

pytestmark = pytest.mark.filterwarnings("ignore:authlib.jose module is deprecated")
"""The first import of a door's library may say so."""

DOORS = Path(__file__).with_name("doors")
ALL_SEEDS = os.environ.get("EVOSEARCH_ALL_SEEDS") == "1"
"""Whether most of five seeds have to find the fault, else of three."""

SEEDS = (1, 2, 3, 4, 5) if ALL_SEEDS else (1, 2, 3)


@dataclass(frozen=True)
class Door:
    """A module of `doors` and how many evaluations finding its fault may take."""

    module: str
    evaluations: int = 400
    library: str = ""
    """What has to be installed besides what every test needs."""


CASES = (
    Door("account_by_command"),
    Door("account_by_model", library="flask_sqlalchemy"),
    Door("basic_dictionary"),
    Door("basic_hash_file"),
    Door("basic_with_passlib", library="passlib"),
    Door("bearer_in_rows"),
    Door("bearer_jwt", library="jwt"),
    Door("bearer_jwt_groups", library="jwt"),
    Door("bearer_jwt_user_in_rows", library="jwt"),
    Door("code_as_second_factor", library="pyotp"),
    Door("code_by_mail", library="flask_mail"),
    Door("code_in_header", library="pyotp"),
    Door("cookie_token_before_log_in"),
    Door("dance_client", 800, library="flask_dance"),
    Door("double_submit"),
    Door("form_that_redirects"),
    Door("form_that_tells"),
    Door("form_with_argon2", library="argon2"),
    Door("form_with_buttons"),
    Door("form_with_hash"),
    Door("form_with_old_argon2", library="argon2"),
    Door("hash_in_settings"),
    Door("htpasswd_apr", library="passlib"),
    Door("htpasswd_each_time", library="bcrypt"),
    Door("https_only"),
    Door("invitation", 1500),
    Door("jwt_extended_cookie", library="flask_jwt_extended"),
    Door("jwt_extended_fresh", library="flask_jwt_extended"),
    Door("jwt_extended_refresh", library="flask_jwt_extended"),
    Door("jwt_extended_roles", library="flask_jwt_extended"),
    Door("key_hash_by_prefix"),
    Door("key_in_cookie"),
    Door("key_in_environment"),
    Door("key_in_header"),
    Door("key_in_query"),
    Door("layer_in_front"),
    Door("limited_log_in", library="flask_limiter"),
    Door("locked_after_three"),
    Door("log_in_after_many_pages"),
    Door("log_in_of_an_empty_table", library="flask_sqlalchemy"),
    Door("magic_link"),
    Door("name_before_password"),
    Door("name_in_every_query"),
    Door("names_of_every_table"),
    Door("oauthlib_client", 800, library="requests_oauthlib"),
    Door("own_code_flow"),
    Door("own_objects"),
    Door("password_must_change"),
    Door("pbkdf2_by_hand"),
    Door("refusal_by_renderer"),
    Door("refused_with_200"),
    Door("remote_user"),
    Door("row_of_flask_login", library="flask_sqlalchemy"),
    Door("row_without_registration"),
    Door("scrypt_in_rows"),
    Door("session_with_bcrypt", library="bcrypt"),
    Door("session_with_salt"),
    Door("set_up_first"),
    Door("sha_lines_in_file"),
    Door("signed_link"),
    Door("signed_stamp_and_body"),
    Door("signed_webhook"),
    Door("stamped_signature"),
    Door("tenant_by_header"),
    Door("tenant_by_host"),
    Door("three_roles"),
    Door("token_after_login", library="bcrypt"),
    Door("token_in_graphql", library="graphql"),
)


def goal_line(module):
    """Find the line that the comment marks."""
    source = (DOORS / f"{module}.py").read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(source, start=1) if line.endswith("# goal")]
    assert len(marked) == 1
    return marked[0]


def forget_doors():
    """Make the next search import the applications anew, under its own instrumentation."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "doors"]:
        del sys.modules[name]


@pytest.fixture
def alone(monkeypatch) -> None:
    """Hide other tests of this process: what they refer to is not the application's."""
    others = [name for name in sys.modules if name.rpartition(".")[2].startswith("test_")]
    for name in others:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def find(alone):
    """Search one application and tell whether its fault was found."""

    def search(door, seed):
        position = f"doors/{door.module}.py:{goal_line(door.module)}"

        def is_goal(target):
            return kind_of(target) == FAULT and position in target

        def create_app():
            app = importlib.import_module(f"doors.{door.module}").create_app()
            app.config["TESTING"] = True
            return app

        forget_doors()
        covered = search_application(
            create_app,
            packages=["doors"],
            evaluations=door.evaluations,
            seed=seed,
            is_goal=is_goal,
        )
        return any(map(is_goal, covered))

    yield search
    forget_doors()


@pytest.mark.slow("a search of hundreds of evaluations for each case")
@pytest.mark.parametrize("door", CASES, ids=lambda door: door.module)
def test_fault_behind_door_is_found_by_most_seeds(find, door):
    if door.library:
        pytest.importorskip(door.library)
    found: dict[int, bool] = {}
    for seed in SEEDS:
        found[seed] = find(door, seed)
        if sum(found.values()) > len(SEEDS) / 2:
            return  # most, whatever the others find

    raise AssertionError(found)
