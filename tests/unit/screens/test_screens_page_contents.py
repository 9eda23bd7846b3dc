from __future__ import annotations

from pytest_evosearch.screens.page_contents import contents_of

PAGE = """<title>Cards</title><h1>All <b>cards</b></h1>
<a href="/a">A</a><a href="/a">again</a><a href="#top">Top</a><a>none</a>
<meta http-equiv="refresh" content="5; url='/later'">
<div class="alert alert-danger">no</div><p role="alert">!</p>
<template><a href="/inert">x</a><h1>inert</h1></template>
<tr data-url="/row"></tr>
<button hx-post="/cards/3/move" hx-vals='{"to": "done", "by": 1}'>Done</button>
<form hx-put="/cards/3"><input name="title"></form><div data-hx-get="/more" hx-vals="js:x()">
<form action="/f"><button>Go</button></form>"""


def test_one_pass_reads_what_tells_screens_apart() -> None:
    contents = contents_of(PAGE)
    assert contents.links == ["/a", "/later", "/row"]
    assert contents.messages == {"alert", "danger"}
    assert contents.headings == ["Cards", "All cards"]
    found = [(one.method, one.address, one.values) for one in contents.scripted]
    assert found == [
        ("POST", "/cards/3/move", (("to", "done"), ("by", "1"))),
        ("PUT", "/cards/3", ()),
        ("GET", "/more", ()),
    ]
    assert [one.is_form for one in contents.scripted] == [False, True, False]
    form = contents.scripted[1].form
    assert form is contents.forms[0]
    assert list(form.fields) == ["title"]
    assert contents.forms[1].has_plain_button
