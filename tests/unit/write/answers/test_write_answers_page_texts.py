from __future__ import annotations

import pytest

from pytest_evosearch.write.answers.page_texts import BESIDE
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.content.telling_texts import Circumstances
from pytest_evosearch.write.content.telling_texts import Foils
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.content.telling_texts import distinctive_texts

NAVIGATION = "<nav><a>Register</a><a>Log In</a></nav>"
REFUSED = Circumstances(refused=True)
FORM = f"<title>Log In - Blog</title>{NAVIGATION}<h1>Log In</h1><label>Username</label>"


def test_message_of_a_refusal_comes_before_navigation() -> None:
    page = FORM + "<div class=flash>Incorrect username.</div>"
    foils = Foils(siblings=(FORM + "<div class=flash>Incorrect username.</div> again",))

    assert distinctive_texts(page, foils, REFUSED) == (">Incorrect username.<",)


def test_of_two_messages_a_sentence_says_more_than_what_stands_before_each() -> None:
    said = "<b class=message>Uh-oh!</b> <p class=message>Wrong password given.</p>"
    page = f"{FORM}<div class=alert>{said}</div>"

    assert distinctive_texts(page, Foils(served=(FORM,)), REFUSED) == (">Wrong password given.<",)


def test_what_only_the_script_of_a_page_says_is_told_apart_from_its_other_answers() -> None:
    script = '<script>const title = "Enter your name"; const error = `%s`</script>'
    page, other, empty = (FORM + script % said for said in ("No such user", "Wrong word", ""))
    foils = Foils(siblings=(other,), served=(empty,))

    assert distinctive_texts(page, foils, REFUSED) == ("No such user",)
    assert distinctive_texts(empty, foils, REFUSED) != ("Enter your name",)
    assert distinctive_texts(page, Foils(), REFUSED) != ("No such user",)
    sent = Circumstances(refused=True, hints=frozenset({"such user"}))
    assert distinctive_texts(page, foils, sent) != ("No such user",)


def test_of_two_messages_the_one_that_few_other_pages_show_tells_more() -> None:
    taken = "<p class=error>Email already registered.</p>"
    page = f"{FORM}{taken}<p class=error>This field is required.</p>"
    foils = Foils(strangers=("<p class=error>This field is required.</p>",))

    assert distinctive_texts(page, foils, REFUSED) == (">Email already registered.<",)


def test_a_message_that_was_left_for_the_next_page_tells_nothing_of_this_one() -> None:
    page = "<div class=alert>You have confirmed your account.</div><h1>Not for you</h1>"
    foils = Foils(read="<div class=alert>You have confirmed your account.</div><h1>Profile</h1>")
    around = Circumstances(failed=True, refused=True)

    assert distinctive_texts(page, foils, around) == ("Not for you",)
    assert distinctive_texts(page, Foils(), around) == (">You have confirmed your account.<",)


def test_what_the_form_shows_anyway_tells_nothing() -> None:
    page = FORM + "<p>Try again.</p>"

    assert distinctive_texts(page, Foils(served=(FORM,)), REFUSED) == ("Try again.",)


def test_what_strangers_show_is_navigation() -> None:
    (text,) = distinctive_texts(FORM, Foils(strangers=(NAVIGATION,)), Circumstances())

    assert text in ("Log In - Blog", "Username")


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
    around = Circumstances(failed=True, refused=True)

    assert distinctive_texts(page, Foils(), around) == ((text,) if text else ())


def test_what_no_template_holds_comes_before_headings_in_the_order_of_the_page() -> None:
    template = "<h1>Posts</h1>{% for post in posts %}<h2>{{ post.title }}</h2>"
    page = "<h1>Posts</h1><h2>Zebras</h2><p>by Ada</p><h2>Apes</h2><p>by Bob</p>"

    found = distinctive_texts(page, Foils(wording=Wording.of(template)), Circumstances())

    assert found == (">Zebras<", ">Apes<", ">by Ada<")


def test_what_was_sent_comes_before_what_was_stored() -> None:
    page = "<h2>Zebras</h2><p>Kz</p><p>\n  by Kz\n</p>"
    around = Circumstances(frozenset({"Kz"}))

    found = distinctive_texts(page, Foils(wording=Wording.of("<h2>")), around)

    assert found == (">Kz<", ">Zebras<")


def test_fields_of_a_form_are_told_by_what_is_typed_there() -> None:
    page = '<h1>Edit</h1><input name="t" value="Kz"><input type="hidden" value="token">'

    found = distinctive_texts(page, Foils(wording=Wording.of("<h1>Edit</h1>")), Circumstances())

    assert found == ('value="Kz"',)


def test_what_another_run_does_not_show_is_left_out() -> None:
    page = "<h1>Quotes</h1><p>Carpe diem</p><p>12 quotes</p>"
    again = ("<h1>Quotes</h1><p>Know thyself</p><p>12 quotes</p>",)

    found = distinctive_texts(
        page, Foils(again=again, wording=Wording.of("<h1>Quotes")), Circumstances()
    )

    assert found == (">12 quotes<",)


def test_labels_of_a_form_are_no_data() -> None:
    page = "<h1>Log in</h1><label>Name</label>"

    found = distinctive_texts(page, Foils(wording=Wording.of("<h1>Log in</h1>")), Circumstances())

    assert found == ("Log in",)


def test_title_put_together_from_templates_is_no_data() -> None:
    wording = Wording.of("<title>{% block t %}{% endblock %} - Blog</title> {{ _('New post') }}")

    assert wording.has("New post - Blog")
    assert not wording.has("New post - Zebras")


def test_what_the_fewest_strangers_show_tells_most_of_a_page_that_has_nothing_to_itself() -> None:
    page = "<nav><span>Languages</span></nav><h2>Create a new project</h2>"
    strangers = (page + "<h1>Home</h1>", "<nav><span>Languages</span></nav>")

    (text,) = distinctive_texts(page, Foils(strangers=strangers), Circumstances())

    assert text == "Create a new project"


def test_a_message_is_told_from_the_label_before_it() -> None:
    reason = (
        'A project with this identifier ("dashboard") already exists. '
        "Please choose a new identifier"
    )
    page = f"<p class=alert><strong>Identifier:</strong> {reason}</p>"

    assert distinctive_texts(page, Foils(), REFUSED) == (reason,)


def test_a_message_that_any_first_page_shows_is_navigation() -> None:
    page = "<p class=alert>Login successful!</p><select><option>a/a</option></select>"
    strangers = ("<p class=alert>Login successful!</p>", "<p class=alert>Login successful!</p> 2")
    wording = Wording.of("<p class=alert>{{ message }}</p>")

    texts = distinctive_texts(
        page, Foils(strangers=strangers, wording=wording), Circumstances(frozenset({"a/a"}))
    )

    assert texts[0] == ">a/a<"


def test_what_says_where_to_go_is_no_message() -> None:
    bar = "<div role=navigation class=error><button><span>Toggle navigation</span></button></div>"
    page = f"{bar}<div class=has-error><label>Title</label><p class=help>Too long.</p></div>"

    assert [one.text for one in page_texts(page) if one.rank == BESIDE] == ["Toggle navigation"]
    assert distinctive_texts(page, Foils(), REFUSED) == (">Too long.<",)


def test_a_dangerous_button_is_no_message() -> None:
    page = "<h1>Products</h1><button class='btn btn-danger'>Delete</button><a class=alert>Go</a>"

    assert distinctive_texts(page, Foils(), Circumstances()) == ("Products",)
