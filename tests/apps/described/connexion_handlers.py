"""What the documents of `described.connexion_twice` point to."""

from __future__ import annotations


def change(number, body=None, page=1):
    return {"number": number, "page": page}
