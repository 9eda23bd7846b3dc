from __future__ import annotations

import re

from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.screen import Screen
from pytest_evosearch.screens.screen import screen_of


def resolve(method: str, address: str) -> str | None:
    if address.startswith("http"):
        return None
    path = address.partition("?")[0]
    return f"{method} {re.sub('[0-9]+', '{number}', path) or '/here'}"


def seen(page: str, status: int = 200) -> Screen:
    return screen_of("GET /list", status, page, resolve)


FORM = '<form method="post" action="/cart"><input name="count1"><button name="do" value="{}">'


def test_each_button_is_an_action_and_links_count_by_route() -> None:
    screen = seen(
        '<a href="/goods/1">1</a><a href="/goods/2">2</a><a href="http://elsewhere/">x</a>'
        '<form method="post" action="/cart"><input name="count">'
        '<button name="do" value="add">A</button><button name="do" value="save">S</button>'
        "<button>plain</button></form>"
    )
    assert screen.offers == (
        Offer("GET /goods/{number}", CLICK),
        Offer("POST /cart", SUBMIT),
        Offer("POST /cart do=add", SUBMIT),
        Offer("POST /cart do=save", SUBMIT),
    )
    assert [action.address for action in screen.actions[:2]] == ["/goods/1", "/goods/2"]
    assert screen.actions[3].sent == (("do", "add"),)


def test_data_language_and_order_make_no_other_state() -> None:
    one = seen('<p>Hello</p><a href="/goods/1?by=price">1</a>' + FORM.format("1"))
    other = seen(FORM.format("2") + '</form><a href="/goods/7">7</a><a href="/goods/8">8</a>')
    assert one.state == other.state


def test_controls_messages_and_status_make_another_state() -> None:
    plain = seen('<a href="/goods/1">1</a>').state
    assert seen('<a href="/goods">1</a>').state != plain
    assert seen('<a href="/goods/1">1</a><p class="error">no</p>').state != plain
    assert seen('<a href="/goods/1">1</a>', 404).state != plain


def test_fields_count_only_where_something_changes() -> None:
    search = '<form action="/find"><input name="{}"></form>'
    assert seen(search.format("a")).state == seen(search.format("b")).state
    change = search.replace("<form", '<form method="post"')
    assert seen(change.format("a")).state != seen(change.format("b")).state
    assert seen(change.format("a1")).state == seen(change.format("a2")).state


def test_a_form_that_a_script_sends_sends_nothing_else() -> None:
    (action,) = seen('<form hx-post="/cards"><input name="title"></form>').actions
    assert (action.scripted, action.method) == (True, "POST")
    assert action.form is not None


def test_heading_and_hidden_step_are_kept_for_dividing() -> None:
    screen = seen('<h1>Step 2</h1><form method="post"><input type="hidden" name="s" value="2">')
    assert (screen.heading, screen.step) == ("Step 2", "s=2")


def test_each_option_of_a_choice_is_an_action_and_does_not_count_as_a_control() -> None:
    page = '<form method="post" action="/bulk"><select name="do">{}</select><button>Go</button>'
    few = seen(page.format("<option>archive</option><option>remove</option>"))
    assert [one.name for one in few.offers] == [
        "POST /bulk [do: archive]",
        "POST /bulk [do: remove]",
    ]
    assert [one.sent for one in few.actions] == [(("do", "archive"),), (("do", "remove"),)]
    many = seen(page.format("".join(f"<option>{one}</option>" for one in "abcdefgh")))
    assert [one.name for one in many.offers] == ["POST /bulk"]
    assert many.state == few.state
    assert len(seen(page.format("<option>1</option><option>2</option>")).offers) == 1
