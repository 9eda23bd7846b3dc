from __future__ import annotations

from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import User


def test_no_test_is_written_as_a_user_who_is_withheld() -> None:
    users = {"ada": User("ada"), "(trial 1)": User("(trial 1)", withheld="it looked only")}
    handle = AppHandle(object(), "app", object, users=users)

    assert handle.writing_users == ("ada",)
