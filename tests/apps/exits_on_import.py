"""Parses the arguments of the process and leaves when it is imported."""

from __future__ import annotations

import sys

from flask import Flask

app = Flask(__name__)
sys.exit(2 if len(sys.argv) == 1 else 9)
