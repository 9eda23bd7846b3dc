"""Functions of modules and classes that everything in one process shares."""

from __future__ import annotations

import builtins
import collections
import contextlib
import copy
import dataclasses
import datetime
import functools
import hashlib
import inspect
import io
import itertools
import json as application_json
import logging
import mimetypes
import os as application_os
import pathlib
import random as application_random
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time as application_time
import traceback
import types
import typing
import urllib.parse
import uuid
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from types import ModuleType

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import Client
from werkzeug.test import EnvironBuilder


def functions_of(owner: ModuleType | type) -> tuple[str, ...]:
    """Return the names of what can be called in a module or class."""
    return tuple(name for name, value in vars(owner).items() if callable(value))


SHARED_FUNCTIONS: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (application_time, ("gmtime", "localtime", "monotonic", "perf_counter", "sleep", "time")),
    (application_random, ("choice", "getstate", "randint", "random", "seed", "setstate")),
    (application_json, ("dump", "dumps", "load", "loads")),
    (
        application_os,
        (
            *("environ", "fspath", "getcwd", "getenv", "listdir", "makedirs", "open", "remove"),
            *("rename", "replace", "scandir", "stat", "unlink", "urandom"),
        ),
    ),
    (builtins, tuple(name for name in vars(builtins) if name != "_")),
    (application_os.path, functions_of(application_os.path)),
    (io, ("BytesIO", "StringIO", "open")),
    (typing, ("cast", "get_type_hints")),
)
"""Functions that applications and libraries replace, and that every later test depends on."""

FURTHER_FUNCTIONS: tuple[tuple[ModuleType, tuple[str, ...]], ...] = tuple(
    (module, functions_of(module))
    for module in (
        *(application_os, application_time, application_random, application_json),
        *(shutil, tempfile, threading),
    )
)
"""Functions that our own code does not use, so a look at the end of a test is early enough."""

LIBRARY_FUNCTIONS: tuple[tuple[ModuleType | type, tuple[str, ...]], ...] = tuple(
    (owner, tuple(name for name in functions_of(owner) if not name.startswith("_")))
    for owner in (
        *(collections, contextlib, copy, dataclasses, datetime, functools, hashlib, inspect),
        *(itertools, logging, mimetypes, pathlib, pathlib.Path, re, socket, subprocess, traceback),
        *(types, typing, urllib.parse, uuid, weakref),
    )
)
"""Functions that Flask, its libraries and tests look up at each use."""

CLIENT_FUNCTIONS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Flask, ("test_client",)),
    *((kind, functions_of(kind)) for kind in (FlaskClient, Client, EnvironBuilder)),
)
"""Functions that send requests, in the search and in tests."""


class SharedFunctions:
    """Some attributes of modules or classes."""

    def __init__(self, rows: Sequence[tuple[ModuleType | type, Sequence[str]]]) -> None:
        self._remembered = [
            (module, {name: vars(module)[name] for name in names}) for module, names in rows
        ]
        takers = [(itemgetter(*names), vars(module)) for module, names in rows]
        self._looks = [partial(take, attributes) for take, attributes in takers]
        self._values = [look() for look in self._looks]

    def were_replaced(self) -> bool:
        """Say whether any was replaced or deleted."""
        try:  # a replacement may be missing, or refuse to be compared
            return [look() for look in self._looks] != self._values
        except Exception:
            return True

    def restore(self) -> list[str]:
        """Restore replaced or deleted attributes; return the names of their modules."""
        looks = zip(self._looks, self._values, self._remembered, strict=True)
        found = []
        for look, values, (module, remembered) in looks:
            with suppress(Exception):
                if look() == values:
                    continue
            for name, value in remembered.items():
                setattr(module, name, value)
            found.append(module.__name__)
        return found
