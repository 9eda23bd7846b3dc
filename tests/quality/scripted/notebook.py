"""A notebook whose page is made by a script; only its requests reach the planted fault."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

PAGE = """<!doctype html><title>Notes</title><link rel="icon" href="data:,"><h1>Notes</h1>
<div id="app"></div>
<script src="/script.js"></script>"""

SCRIPT = """
const app = document.getElementById('app');
async function show() {
  const notes = await (await fetch('/api/notes')).json();
  app.innerHTML = '<label>Title <input name="title"></label><button id="add">Add</button><ul>'
    + notes.map(n => `<li>${n.title}<button data-id="${n.id}">Pin</button></li>`).join('')
    + '</ul>';
  document.getElementById('add').onclick = () => {
    const title = document.querySelector('[name=title]').value;
    send({note: {title, check: mark(title), source: {kind: 'page', version: 3}}});
  };
  app.querySelectorAll('[data-id]').forEach(b => b.onclick = () => pin(Number(b.dataset.id)));
}
function mark(text) {
  let sum = 7;
  for (const one of text) sum = (sum * 31 + one.codePointAt(0)) % 65521;
  return sum.toString(16) + '-' + text.length;
}
async function send(body) {
  await fetch('/api/notes', {method: 'POST', body: JSON.stringify(body),
    headers: {'Content-Type': 'application/json', 'X-Notebook': mark('notebook')}});
  await show();
}
async function pin(id) {
  await fetch('/api/pins', {method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({pins: [{id, check: mark('pin' + id)}]})});
  document.getElementById('pinned').textContent = id;
}
show();
"""

notes: dict[int, str] = {}


def mark(text):
    """Return what the script computes of a text."""
    total = 7
    for one in text:
        total = (total * 31 + ord(one)) % 65521
    return f"{total:x}-{len(text)}"


def create_app():
    """Make the application."""
    app = Flask(__name__)
    notes.clear()

    @app.get("/")
    def page():
        return PAGE

    @app.get("/script.js")
    def script():
        return SCRIPT, {"Content-Type": "text/javascript"}

    @app.get("/api/notes")
    def every():
        return jsonify([{"id": number, "title": title} for number, title in notes.items()])

    @app.post("/api/notes")
    def add():
        if request.headers.get("X-Notebook") != mark("notebook"):
            abort(403)
        note = request.get_json()["note"] if request.is_json else abort(415)
        if note.get("check") != mark(note["title"]):
            abort(400)
        notes[len(notes) + 1] = note["title"]
        return jsonify(id=len(notes)), 201

    @app.post("/api/pins")
    def pin():
        sent = request.get_json(silent=True) or {}
        for one in sent.get("pins", []):
            if one.get("check") != mark(f"pin{one.get('id')}"):
                abort(400)
            if one["id"] in notes:
                raise ValueError("a note cannot be pinned")  # goal
        return jsonify(pinned=0)

    return app
