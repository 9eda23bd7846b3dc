"""What an application says about itself: OpenAPI, GraphQL, models, validators, pages.

Start at `openapi_source`.  Imports `sut.clients`, `sut.finding` and `sut.outgoing`; only
`engine` imports it.

Where to find a decision:

- where OpenAPI documents are found: `openapi_source`; by library, `attached_schemas`
- which address serves GraphQL, and its schema: `graphql_schemas`
- what services answer in the project's own tests: `answers_in_tests`
- which validators of libraries are read: `validators.libraries`, one reader for each
"""

from __future__ import annotations
