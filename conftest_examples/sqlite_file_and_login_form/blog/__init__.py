"""A blog in miniature: register, log in, write, change and delete one's own posts."""

from pathlib import Path

from flask import Flask

from blog import accounts
from blog import database
from blog import posts


def create_app(config=None):
    app = Flask(__name__, instance_relative_config=True)
    app.config.update(SECRET_KEY="dev", DATABASE=str(Path(app.instance_path) / "blog.sqlite"))
    app.config.update(config or {})
    Path(app.config["DATABASE"]).parent.mkdir(parents=True, exist_ok=True)

    app.teardown_appcontext(database.close)
    app.register_blueprint(accounts.blueprint)
    app.register_blueprint(posts.blueprint)
    return app
