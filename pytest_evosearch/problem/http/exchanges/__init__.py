"""What is sent and what comes back, as plain values: calls, requests, responses, links.

The lowest package of `problem.http`: imports none of its others.  Start at `exchange`.

Where to find a decision:

- how the id of one response gets into a later call: `links`
- what a fault test asserts: `exchange.Expectation` (kept in a public module, see docs/hooks.md)
- what an answer of GraphQL amounts to: `graphql_answers`; its texts and body, `graphql_documents`,
  `graphql_gene`
- what stands in the addresses of mails: `mails`; in XML answers, `xml_places`
- whether an answer turned its caller away, for all who ask: `refusals`
"""

from __future__ import annotations
