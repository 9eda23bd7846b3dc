"""Letters that an application keeps instead of sending them."""

from __future__ import annotations

import sys
from types import ModuleType
from types import SimpleNamespace

from flask import Flask

from pytest_evosearch.sut.state.readable_places import changing_places
from pytest_evosearch.sut.watching.outbox import SentMail
from pytest_evosearch.sut.watching.own_outbox import OwnOutbox


def outbox_of(app, mailbox=None):
    return OwnOutbox(changing_places(app, []), mailbox)


def test_what_a_call_leaves_is_a_letter_once():
    app = Flask(__name__)
    app.letters = [{"text": "Welcome to the club"}]
    outbox = outbox_of(app)
    outbox.begin("POST /codes")
    app.letters.append({"text": "Your code is 4711"})
    source = 'app.letters[1]["text"]'
    assert outbox.take() == [SentMail("Your code is 4711", "", False, source)]
    outbox.begin("POST /codes")
    assert outbox.take() == []
    outbox.begin_test()
    outbox.begin("POST /codes")
    assert [letter.source for letter in outbox.take()] == [source]


def test_file_that_a_setting_names_is_read(tmp_path):
    app = Flask(__name__)
    app.config["OUTBOX"] = str(tmp_path / "letters.txt")
    outbox = outbox_of(app)
    outbox.begin("POST /codes")
    (tmp_path / "letters.txt").write_text("To: ada\nYour code is 4711\n")
    [letter] = outbox.take()
    assert letter.source == 'Path(app.config["OUTBOX"]).read_text()'
    assert letter.imports == ("from pathlib import Path",)


def test_database_that_a_setting_names_is_no_letter(tmp_path):
    app = Flask(__name__)
    app.config["DATABASE"] = str(tmp_path / "shop.db")
    outbox = outbox_of(app)
    outbox.begin("POST /codes")
    (tmp_path / "shop.db").write_bytes(b"SQLite format 3\0 Your code is 4711")
    assert outbox.take() == []


def test_attribute_of_a_function_is_a_place_and_a_plain_function_is_none():
    module = ModuleType("letters_of_the_club")
    exec("def send(): pass\ndef plain(): pass\nsend.last = ''", vars(module))
    sys.modules[module.__name__] = module
    try:
        read = changing_places(Flask(__name__), [module])
        vars(module)["send"].last = "Your code is 4711"
        found = [place.expression for place in read() if not place.expression.startswith("app.")]
        assert found == ["send", "send.last"]
    finally:
        del sys.modules[module.__name__]


def test_call_that_changes_nothing_leaves_no_letter():
    app = Flask(__name__)
    app.letters = []
    outbox = outbox_of(app)
    outbox.begin("GET /codes")
    app.letters.append("Your code is 4711")
    assert outbox.take() == []


def test_mails_that_are_sent_come_last():
    app = Flask(__name__)
    app.letters = []
    sent = SentMail("sent", "", False)
    outbox = outbox_of(app, SimpleNamespace(begin=lambda _endpoint: None, take=lambda: [sent]))
    outbox.begin("POST /codes")
    app.letters.append("Your code is 4711")
    assert [letter.body for letter in outbox.take()] == ["Your code is 4711", "sent"]


def test_calls_are_asked_for_letters_only_where_places_are_no_longer_looked_at():
    app = Flask(__name__)
    app.letters = []
    outbox, asked = outbox_of(app), []
    outbox.expect(lambda: bool(asked.append("calls")))
    outbox.begin("POST /codes")
    outbox.take()
    assert asked == []
    outbox._left = 0
    app.letters.append("Your code is 4711")
    assert outbox.take() == []
    assert asked == ["calls"]
