"""Everything is answered with 200; name and key come with each call, in the query."""

from __future__ import annotations

from flask import Flask
from flask import request

TOPICS = ("tides", "reefs", "winds", "charts", "lights")


def create_app():
    app = Flask(__name__)
    app.pilots = {"nerys": f"k{3**9}", "olaf": f"k{5**7}"}

    @app.before_request
    def who():
        name, key = request.args.get("pilot"), request.args.get("key")
        if name not in app.pilots or app.pilots[name] != key:
            return {"ok": False, "why": "who are you?"}
        return None

    def listed(topic):
        def view():
            step = request.args.get("step", 10, type=int)
            if topic == "reefs":
                if step > 500:
                    raise ValueError(step)  # goal
                return {"ok": True}
            return {"ok": True, topic: step}

        return view

    for topic in TOPICS:
        app.add_url_rule(f"/sea/{topic}", topic, listed(topic))
    return app
