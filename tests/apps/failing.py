"""Fails in every way that an application can."""

from __future__ import annotations

import sys

from flask import Flask
from flask import Response
from flask import abort
from flask import request

app = Flask(__name__)


@app.get("/crash")
def crash():
    return {}["missing"]


@app.get("/exit")
def leave():
    sys.exit(3)


@app.get("/refuse")
def refuse():
    abort(418)


@app.get("/stream")
def stream():
    def chunks():
        yield "first"
        raise ValueError("in the middle")

    return Response(chunks())


@app.get("/endless")
def endless():
    def chunks():
        while True:
            yield "x" * 65536

    return Response(chunks())


@app.get("/close")
def close():
    response = Response("closed badly")
    response.call_on_close(lambda: 1 / 0)
    return response


@app.get("/cookie")
def cookie():
    response = Response("baked")
    response.set_cookie("flavour", "oat")
    return response


@app.get("/taste")
def taste():
    return request.cookies["flavour"]
