from __future__ import annotations

import pytest

from pytest_evosearch.core.forms import parse_forms


def one_form(controls: str):
    (form,) = parse_forms(f'<form action="/notes" method="post">{controls}</form>')
    return form


def test_a_form_inside_another_one_is_ignored_as_browsers_do():
    form, after = parse_forms(
        '<form method="post"><form class="row"><input name="email"><input name="pw"></form></form>'
        '<form action="/search"><input name="q"></form>'
    )

    assert (form.method, list(form.fields)) == ("POST", ["email", "pw"])
    assert (after.action, list(after.fields)) == ("/search", ["q"])


def test_named_buttons_are_controls_whose_values_are_options():
    form = one_form(
        '<button name="action" value="save">Save</button>'
        '<button name="action" value="delete" type="submit">Delete</button>'
    )

    assert form.fields["action"].kind == "submit"
    assert form.fields["action"].options == ["save", "delete"]


@pytest.mark.parametrize("kind", ["button", "reset"])
@pytest.mark.parametrize("tag", ["button", "input"])
def test_buttons_that_submit_nothing_are_no_controls(tag, kind):
    assert one_form(f'<{tag} type="{kind}" name="action" value="1">').fields == {}


def test_an_unnamed_button_and_an_image_send_no_value():
    assert one_form('<button value="1">Go</button><input type="image" name="map">').fields == {}


@pytest.mark.parametrize(
    ("buttons", "sent"),
    [
        ('<button>Go</button><button name="more" value="1">More</button>', ["title"]),
        ('<input type="submit" name="go"><button name="more" value="1">', ["title", "go"]),
        ("", ["title"]),
    ],
)
def test_a_browser_sends_the_first_button_and_no_other(buttons, sent):
    form = one_form(f'<input name="title">{buttons}')
    assert [control.name for control in form.sent] == sent


@pytest.mark.parametrize("before", [True, False])
def test_a_control_outside_belongs_to_the_form_that_it_names(before):
    outside = '<input name="title" form="note"><button form="note" name="go" value="1">Go</button>'
    form = '<form id="note" action="/notes"></form>'

    (read,) = parse_forms(outside + form if before else form + outside)

    assert list(read.fields) == ["title", "go"]


def test_a_control_that_names_another_form_is_not_one_of_the_open_form():
    first, second = parse_forms(
        '<form id="a"></form><form id="b"><input name="x" form="a"><input name="y" form="none">'
        '<input name="z"></form>'
    )

    assert list(first.fields) == ["x"]
    assert list(second.fields) == ["z"]


def test_a_button_that_leads_elsewhere_is_a_form_of_its_own_with_the_same_fields():
    form, preview, search = parse_forms(
        '<form action="/notes" method="post"><input name="title">'
        '<button formaction="/preview" name="kind" value="html">Preview</button>'
        '<input name="text"><button formmethod="get" formaction="/search">Search</button></form>'
    )

    assert (form.action, form.method, list(form.fields)) == ("/notes", "POST", ["title", "text"])
    assert (preview.action, preview.method) == ("/preview", "POST")
    assert list(preview.fields) == ["title", "text", "kind"]
    assert preview.fields["kind"].options == ["html"]
    assert (search.action, search.method) == ("/search", "GET")
    assert list(search.fields) == ["title", "text"]


def test_the_encoding_of_a_form_is_read():
    (form,) = parse_forms('<form enctype="Multipart/Form-Data"><input type="file" name="f"></form>')

    assert form.encoding == "multipart/form-data"


def test_a_button_that_leads_elsewhere_may_have_an_encoding_of_its_own():
    form, upload = parse_forms(
        '<form method="post"><input type="file" name="f"><button>Save</button>'
        '<button formaction="/files" formenctype="multipart/form-data">Upload</button></form>'
    )

    assert (form.encoding, upload.encoding) == ("", "multipart/form-data")
    assert (upload.action, upload.method) == ("/files", "POST")


def test_an_option_without_a_value_sends_its_text():
    form = one_form(
        '<select name="size"><option>Small <option selected> Very\n large </option>'
        '<option value="">None</option></select>'
    )

    assert form.fields["size"].options == ["Small", "Very large", ""]
    assert form.fields["size"].value == "Very large"


def test_what_a_template_contains_is_no_part_of_the_page():
    form = one_form('<input name="title"><template><input name="row"></template><input name="b">')

    assert list(form.fields) == ["title", "b"]


def test_fields_of_a_form_inside_a_table_are_kept():
    (form,) = parse_forms('<table><form><tr><td><input name="a"></td></tr></form></table>')

    assert list(form.fields) == ["a"]
