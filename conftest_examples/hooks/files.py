from pathlib import Path

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request


def create_app(folder):
    app = Flask(__name__)
    app.config["FOLDER"] = folder

    def find(name):
        path = Path(folder, name)
        if name.startswith(".") or len(name) > 30:
            abort(400)
        return path

    @app.get("/files")
    def list_files():
        suffix = request.args.get("suffix", "")
        return jsonify(
            sorted(path.name for path in Path(folder).iterdir() if path.name.endswith(suffix))
        )

    @app.put("/files/<name>")
    def write_file(name):
        path = find(name)
        if not request.data:
            abort(400)
        created = not path.exists()
        path.write_bytes(request.data)
        return jsonify(size=len(request.data)), 201 if created else 200

    @app.get("/files/<name>")
    def read_file(name):
        path = find(name)
        if not path.exists():
            abort(404)
        return path.read_bytes(), {"Content-Type": "application/octet-stream"}

    @app.delete("/files/<name>")
    def delete_file(name):
        path = find(name)
        if not path.exists():
            abort(404)
        path.unlink()
        return "", 204

    return app
