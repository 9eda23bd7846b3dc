from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

app = Flask(__name__)

GREETINGS = {"en": "Hello", "de": "Hallo", "nb": "Hei"}
visitors = []


@app.get("/")
def index():
    return jsonify(languages=sorted(GREETINGS), visitors=len(visitors))


@app.get("/hello/<name>")
def hello(name):
    language = request.args.get("language", "en")
    if language not in GREETINGS:
        abort(404)
    if name not in visitors:
        visitors.append(name)
    if request.args.get("loud") == "yes":
        name = name.upper()
    return f"{GREETINGS[language]}, {name}!"


@app.delete("/visitors/<int:index>")
def forget(index):
    if index >= len(visitors):
        abort(404)
    return jsonify(forgotten=visitors.pop(index))
