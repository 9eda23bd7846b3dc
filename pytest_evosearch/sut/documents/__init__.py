"""What an application says about itself: OpenAPI, GraphQL, models, validators, pages."""

from __future__ import annotations
