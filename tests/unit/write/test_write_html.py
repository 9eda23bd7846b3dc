from __future__ import annotations

import pytest

from pytest_evosearch.write.html import Foils
from pytest_evosearch.write.html import distinctive_text

NAVIGATION = "<nav><a>Register</a><a>Log In</a></nav>"
FORM = f"<title>Log In - Blog</title>{NAVIGATION}<h1>Log In</h1><label>Username</label>"


def test_message_of_a_refusal_comes_before_navigation() -> None:
    page = FORM + "<div class=flash>Incorrect username.</div>"
    foils = Foils(siblings=(FORM + "<div class=flash>Incorrect username.</div> again",))

    assert distinctive_text(page, foils, refused=True) == "Incorrect username."


def test_what_the_form_shows_anyway_tells_nothing() -> None:
    page = FORM + "<p>Try again.</p>"

    assert distinctive_text(page, Foils(served=(FORM,)), refused=True) == "Try again."


def test_what_strangers_show_is_navigation() -> None:
    assert distinctive_text(FORM, Foils(strangers=(NAVIGATION,))) in ("Log In - Blog", "Username")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<title>404 Not Found</title><h1>Not Found</h1><p>no such book</p>", "no such book"),
        ("<title>404 Not Found</title><h1>Not Found</h1>", None),
        ("<h1>Not Found</h1><p>Post 0 doesn&#39;t exist.</p>", "Post 0 doesn&#39;t exist."),
        ("<p>The requested URL was not found on the server.</p>", None),
    ],
)
def test_error_pages_say_more_than_their_status_or_nothing(page: str, text: str | None) -> None:
    assert distinctive_text(page, Foils(), failed=True, refused=True) == text
