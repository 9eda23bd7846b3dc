"""Does what an application must not do while it is searched."""

from __future__ import annotations

import smtplib
import socket
import subprocess
import urllib.request
from pathlib import Path

from flask import Flask
from flask import request

app = Flask(__name__)


@app.get("/fetch")
def fetch():
    return urllib.request.urlopen("http://api.example.com/prices").read()


@app.get("/connect")
def connect():
    with socket.socket() as connection:
        connection.connect(("203.0.113.7", 80))
    return "connected"


@app.get("/mail")
def mail():
    smtplib.SMTP("127.0.0.1", 25, timeout=1)
    return "sent"


@app.get("/run")
def run():
    return subprocess.check_output(["git", "--version"])


@app.post("/write")
def write():
    path = Path(request.args["path"])
    path.write_text("overwritten")
    return path.read_text()


@app.post("/delete")
def delete():
    Path(request.args["path"]).unlink()
    return "deleted"
