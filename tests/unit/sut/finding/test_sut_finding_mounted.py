from __future__ import annotations

from flask import Flask
from flask import request
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

from pytest_evosearch.sut.finding.mounted import mounted_applications
from pytest_evosearch.sut.watching.observe import ReadRecorder


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


def test_mounts_are_found_in_views_that_answer_with_another_application():
    """As in Lektor, whose administration is an application of its own."""
    app, inner, other = Flask("app"), Flask("inner"), Flask("other")
    inner.add_url_rule("/users", view_func=lambda: "users", endpoint="users")

    @app.route("/", defaults={"page": ""})
    @app.route("/admin/<path:page>")
    def admin(page):
        environ = request.environ
        environ["SCRIPT_NAME"], environ["PATH_INFO"] = "/admin", f"/{page}"
        return inner.wsgi_app

    @app.route("/names/<path:page>")
    def names(page):
        return f"{other.name} {app.name}"

    assert list(mounted_applications(app)) == [("/admin", inner)]
    with ReadRecorder(app) as reads:
        reads.begin()
        assert app.test_client().get("/admin/users").text == "users"
        assert reads.is_routed_to("users")


def test_an_application_without_middlewares_has_no_mounts():
    assert list(mounted_applications(Flask("app"))) == []
