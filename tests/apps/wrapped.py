"""Hides its application behind pairs and middlewares."""

from __future__ import annotations

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

inner = Flask(__name__)
fixed = ProxyFix(inner)
dispatched = DispatcherMiddleware(ProxyFix(inner), {})
bound = ProxyFix(inner.wsgi_app)


def create_pair():
    return inner, object()


@inner.get("/")
def index():
    return "inside"
