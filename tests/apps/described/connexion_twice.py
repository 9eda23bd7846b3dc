"""The same API as its neighbours, with Connexion 2 or 3, below two paths."""

from __future__ import annotations

from pathlib import Path

import connexion

application = connexion.FlaskApp(__name__, specification_dir=str(Path(__file__).parent / "specs"))
OTHER_NAME = {"name": "two"} if hasattr(connexion, "AsyncApp") else {}  # Connexion 3
application.add_api("books.yml")
application.add_api("books.yml", base_path="/v2", **OTHER_NAME)
app = application.app
