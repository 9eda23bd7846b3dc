"""What is known of endpoints before anything is sent: routes, documents, schemas, guesses."""

from __future__ import annotations
