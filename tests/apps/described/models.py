"""The models of the neighbours that use pydantic."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel
from pydantic import Field


class Question(BaseModel):
    page: int = Field(1, ge=1, le=9)


class Headers(BaseModel):
    token: str = Field(alias="X-Token")


class Book(BaseModel):
    title: str = Field(min_length=2, max_length=30)
    kind: Literal["a", "b"] = "a"
    code: str = Field("ABC", pattern="^[A-Z]{3}$")
