"""Asks two services in one event loop, in a view that is asynchronous itself."""

from __future__ import annotations

import aiohttp
from flask import Flask
from flask import jsonify

app = Flask(__name__)


async def document_of(session, address):
    async with session.get(address) as answer:
        answer.raise_for_status()
        return await answer.json()


@app.get("/trains")
async def trains():
    try:
        async with aiohttp.ClientSession() as session:
            plan = await document_of(session, "https://trains.internal/plan")
            late = await document_of(session, "https://trains.internal/late")
    except aiohttp.ClientError:
        return jsonify(error="trains"), 503
    if late["minutes"] > plan["minutes"] > 0:
        raise ProcessLookupError("later than the next one")
    return jsonify(minutes=plan["minutes"])
