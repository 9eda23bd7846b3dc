"""What is known of endpoints before anything is sent: routes, documents, schemas, guesses.

Imports `exchanges`.  Start at `schema`, which turns a document into endpoints.

Where to find a decision:

- which endpoints exist and what they take: `routes`, `schema`; learnt parameters, `parameters`
- which methods are endpoints: `own_methods`
- how several documents count as one: `schema.described_endpoints`, `united_documents`
- what endpoints a server has that serves no document: `crawling`
- what a header looks like of which only the name is known: `headers`
- which values a document writes in its paths: `declared_values`
- which operations GraphQL offers: `graphql_schema`
"""

from __future__ import annotations
