"""Plain values for what is sent and received: calls, requests, responses, links.

This is the lowest package of `problem.http`: it imports no other one.  Start at `exchange`.

Where to find a decision:

- how the id of one response gets into a later call: `links`
- what a fault is, and what its test asserts: `reported_faults`
- what a GraphQL response means: `graphql_answers`; its texts and body, `graphql_documents`,
  `graphql_gene`
- which addresses mails contain: `mails`; which places XML responses have, `xml_places`
- what calls do beside responding, and a written test must cope with: `consequences`
- whether a response refused its caller: `refusals`, for all packages
"""

from __future__ import annotations
