"""Projects hold tasks, tasks hold comments: a key in a header, versions, pages by cursor."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

keys = {}
projects = {}


def require_owner():
    return keys.get(request.headers.get("X-Api-Key")) or abort(401)


def read_field(name, kind):
    body = request.get_json()
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        abort(400, f"{name} is missing or of the wrong type")
    return value


def find_project(number):
    project = projects.get(number) or abort(404)
    return project if project["owner"] == require_owner() else abort(403)


def find_task(project, number):
    return project["tasks"].get(number) or abort(404)


def etag(task):
    return f'"v{task["version"]}-{len(task["title"])}"'


def create_app():  # noqa: C901 - the views of a whole application
    app = Flask(__name__)

    @app.post("/keys")
    def issue_key():
        owner = read_field("owner", str)
        if not owner.isalnum():
            abort(422)
        key = f"k-{len(keys) * 7919 + 104729:x}"
        keys[key] = owner
        return jsonify(key=key), 201

    @app.post("/projects")
    def create_project():
        owner = require_owner()
        name = read_field("name", str)
        if len(name) < 4:
            abort(422, "the name is too short")
        number = len(projects) + 100
        projects[number] = {"owner": owner, "name": name, "tasks": {}}
        return jsonify(id=number, name=name), 201

    @app.get("/projects")
    def list_projects():
        require_owner()
        cursor = request.args.get("cursor", 0, type=int)
        found = sorted(number for number in projects if number > cursor)
        return jsonify(items=found[:2], next=found[1] if len(found) > 2 else None)

    @app.post("/projects/<int:project_id>/tasks")
    def create_task(project_id):
        project = find_project(project_id)
        title, priority = read_field("title", str), read_field("priority", int)
        if not 1 <= priority <= 5:
            abort(422, "the priority is from 1 to 5")
        number = len(project["tasks"]) + 500
        project["tasks"][number] = {"title": title, "version": 1, "comments": []}
        return jsonify(id=number), 201

    @app.get("/projects/<int:project_id>/tasks/<int:task_id>")
    def show_task(project_id, task_id):
        task = find_task(find_project(project_id), task_id)
        return jsonify(title=task["title"]), 200, {"ETag": etag(task)}

    @app.put("/projects/<int:project_id>/tasks/<int:task_id>")
    def change_task(project_id, task_id):
        task = find_task(find_project(project_id), task_id)
        wanted = request.headers.get("If-Match")
        if wanted is None:
            abort(428)
        if wanted != etag(task):
            abort(412)
        task["title"], task["version"] = read_field("title", str), task["version"] + 1
        return jsonify(version=task["version"])

    @app.post("/projects/<int:project_id>/tasks/<int:task_id>/comments")
    def add_comment(project_id, task_id):
        task = find_task(find_project(project_id), task_id)
        task["comments"].append(read_field("text", str))
        return jsonify(id=len(task["comments"])), 201

    @app.delete("/projects/<int:project_id>/tasks/<int:task_id>/comments/<int:comment_id>")
    def delete_comment(project_id, task_id, comment_id):
        task = find_task(find_project(project_id), task_id)
        if not 1 <= comment_id <= len(task["comments"]):
            abort(404)
        if task["version"] > 1:
            abort(409)  # goal
        del task["comments"][comment_id - 1]
        return "", 204

    return app
