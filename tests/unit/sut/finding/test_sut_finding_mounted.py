from __future__ import annotations

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

from pytest_evosearch.sut.finding.mounted import mounted_applications


def test_mounts_are_found_behind_and_below_middlewares():
    app, one, two, deep = (Flask(name) for name in ("app", "one", "two", "deep"))
    two.wsgi_app = DispatcherMiddleware(two.wsgi_app, {"/deep/": deep})
    inside = DispatcherMiddleware(app.wsgi_app, {"/one": ProxyFix(one)})
    app.wsgi_app = ProxyFix(DispatcherMiddleware(inside, {"/two": two.wsgi_app}))

    found = [("/two", two), ("/one", one), ("/two/deep", deep)]
    assert list(mounted_applications(app)) == found


def test_what_is_no_flask_application_or_leads_back_is_passed_over():
    app = Flask("app")
    plain = app.wsgi_app
    app.wsgi_app = DispatcherMiddleware(plain, {"/self": app, "/bare": lambda *_: [b""]})
    assert list(mounted_applications(app)) == []


def test_an_application_without_middlewares_has_no_mounts():
    assert list(mounted_applications(Flask("app"))) == []
