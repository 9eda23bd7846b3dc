"""Asks a service in an event loop; one state of an order is not expected."""

from __future__ import annotations

import asyncio

import httpx
from flask import Flask
from flask import jsonify

app = Flask(__name__)


async def state_of(number):
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"https://orders.internal/orders/{number}")
        answer.raise_for_status()
        return answer.json()["state"]


@app.get("/orders/<int:number>")
def order(number):
    try:
        state = asyncio.run(state_of(number))
    except httpx.HTTPError:
        return jsonify(error="orders"), 503
    if state == "lost":
        raise NotImplementedError("lost orders")
    return jsonify(state=state)
