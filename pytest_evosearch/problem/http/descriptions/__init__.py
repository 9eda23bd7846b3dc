"""What is known about endpoints before anything is sent: routes, documents, schemas, guesses.

Imports `exchanges`; the other packages of `problem.http` and packages above import it.  Start at
`schema`, which turns a document into endpoints.

Where to find a decision:

- which endpoints exist and what they take: `routes`, `schema`; learnt parameters, `parameters`
- which methods are endpoints: `own_methods`
- how several documents are united: `schema.described_endpoints`, `united_documents`
- which endpoints a server without a document has: `crawling`
- what forms of pages send: `seen_forms`
- which values a header gets when only its name is known: `headers`
- which values a document contains in its paths: `declared_values`
- which operations GraphQL offers: `graphql_schema`
"""

from __future__ import annotations
