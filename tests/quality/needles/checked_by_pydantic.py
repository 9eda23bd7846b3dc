"""A booking that a pydantic model checks inside the view."""

from __future__ import annotations

from enum import Enum
from typing import Annotated
from typing import Literal
from uuid import UUID

from flask import Flask
from flask import request
from pydantic import BaseModel
from pydantic import Field
from pydantic import ValidationError


class Cabin(str, Enum):
    FORWARD = "forward"
    AFT = "aft"


class Guest(BaseModel):
    passport: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{6}$")]
    age: Annotated[int, Field(strict=True, ge=18, le=99)]


class Booking(BaseModel):
    voyage: UUID
    cabin: Cabin
    board: Literal["half", "full"]
    guests: Annotated[list[Guest], Field(min_length=1)]


def create_app():
    app = Flask(__name__)

    @app.post("/bookings")
    def book():
        try:
            booking = Booking(**request.get_json(force=True))
        except ValidationError as error:
            return {"errors": error.errors(include_url=False, include_context=False)}, 422
        if booking.cabin is Cabin.AFT and booking.board == "full":
            return {"upgraded": True}, 201  # goal
        return {"upgraded": False}, 201

    return app
