"""Answers the calls that the application sends to other services, inside the process.

Start at `seam`, which replaces five functions of `socket` and `ssl`.  Imports `sut.watching` and
`sut.fixture_texts`; `execution` and `engine` import it.

Where to find a decision:

- which connections are answered, and which keep today's policy: `seam`
- how a connection without a server behaves, to event loops and with TLS, too:
  `sut.fixture_texts.service_stubs`; what the search adds: `answering_sockets`
- when files of certificates are loaded: `postponed_certificates`
- which call gets which answer, and what was asked: `desk`
- when two calls are the same call: `asked_calls`
- which texts are taken for addresses of services: `wanted_addresses`
- what a client wanted to send to a host out of reach: `request_under_way`
- which parts of an answer the application reads: `answer_reads`; of markup, `markup_reads`; which
  headers, `header_reads`
- how the document of an answer is written: `answer_formats`; for AWS, `aws_answers`
"""

from __future__ import annotations
