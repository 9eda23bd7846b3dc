"""What an application says about itself: OpenAPI, GraphQL, models, validators, pages.

Start at `openapi_source`.  Imports `sut.clients` and `sut.finding`; only `engine` imports it.

Where to find a decision:

- where OpenAPI documents are found: `openapi_source`; by library, `attached_schemas`
- which address serves GraphQL, and its schema: `graphql_schemas`
- which validators of libraries are read: `validators.libraries`, one reader for each
"""

from __future__ import annotations
