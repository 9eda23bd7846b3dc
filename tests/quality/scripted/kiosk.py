"""A kiosk whose calls all succeed; what is wrong with its pages only a browser shows."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request

HEAD = """<!doctype html><html lang="en"><head><title>Kiosk</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>body { font: 16px sans-serif; margin: 2rem } nav a { margin-right: 1rem }
li { margin: .5rem } table { width: 900px }</style></head><body>
<nav><a href="/">Papers</a><a href="/prices">Prices</a><a href="/about">About us</a></nav>"""

HOME = """<h1>Papers</h1><ul>{papers}</ul>
<form method="post" action="/papers"><label>Name <input name="name" required></label>
<button>Add</button></form>
<p><label>Search <input id="search"></label> <button id="find">Find</button>
<button id="more">More</button></p><div id="panel"></div>
<script src="/kiosk.js"></script>"""

SCRIPT = """
document.getElementById('find').onclick = async () => {
  const found = await (await fetch('/papers.json')).json();
  throw new Error('cannot show ' + found.length + ' papers');
};
document.getElementById('more').onclick = () => {
  document.getElementById('panel').innerHTML = '<h2>More</h2><button id="sort">Sort</button>';
  document.getElementById('sort').onclick = () => {
    console.error('nothing to sort');
    document.querySelector('ul').sorted.reverse();
  };
};
"""

PRICES = """<h1>Prices</h1><img src="/chart.png" width="80" height="40">
<table><tr><td>Daily</td><td>2.40</td></tr></table><a href="/archive">Old prices</a>"""


def create_app():
    """Make the application."""
    app = Flask(__name__)
    papers: list[str] = []

    @app.get("/")
    def home():
        return HEAD + HOME.format(papers="".join(f"<li>{len(one)}</li>" for one in papers))

    @app.post("/papers")
    def add():
        if request.form.get("name"):
            papers.append(request.form["name"])
        return redirect("/")

    @app.get("/papers.json")
    def every():
        return papers

    @app.get("/kiosk.js")
    def script():
        return SCRIPT, {"Content-Type": "text/javascript"}

    @app.get("/prices")
    def prices():
        return HEAD + PRICES

    @app.get("/about")
    def about():
        return HEAD + "<h1>About us</h1><script src='/gone.js'></script>"

    return app
