from flask import Flask
from flask import abort
from flask import jsonify
from flask import request


def create_app(limit=100):
    app = Flask(__name__)
    notes = {}

    @app.get("/notes")
    def list_notes():
        word = request.args.get("word", "")
        return jsonify([number for number, text in notes.items() if word in text])

    @app.put("/notes/<int:number>")
    def write_note(number):
        text = request.get_data(as_text=True)
        if number > limit:
            abort(404)
        if not text.strip():
            abort(400)
        created = number not in notes
        notes[number] = text
        return jsonify(length=len(text)), 201 if created else 200

    @app.get("/notes/<int:number>")
    def read_note(number):
        if number not in notes:
            abort(404)
        return notes[number], {"Content-Type": "text/plain"}

    return app
