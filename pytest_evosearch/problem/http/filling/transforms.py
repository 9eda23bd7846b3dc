"""Inverts what the code did to a sent value before the comparison.

`inverses(sent, observed, wish)` assumes that the code turned `sent` into `observed`, and yields
values that the code would turn into `wish`. Each possible transformation gives its own values.
"""

from __future__ import annotations

import datetime
import math
import re
from base64 import b64decode
from base64 import b64encode
from base64 import urlsafe_b64encode
from binascii import hexlify
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from urllib.parse import quote
from urllib.parse import unquote

from pytest_evosearch.instrument.distances.lengths import items_of_length

EXACT, CONVERTED, PART, GUESSED = 0, 1, 3, 5
"""Ranks of certainty; a lower rank is more certain."""

LONGEST_PADDING = 10_000
"""Most characters that are added for a required length."""

LARGEST_CODE_POINT = 0x10FFFF

LONGEST_NUMBER = 40

MOST_PARTS = 16
"""Most parts that are made for a required number of parts."""

SEPARATORS = ", .-;/:|_"
"""Characters between the parts of a text, likeliest first."""

_FOLDS: tuple[Callable[[str], str], ...] = (
    str.lower,
    str.upper,
    str.strip,
    str.casefold,
    str.title,
    str.capitalize,
    str.swapcase,
    lambda text: text.strip().lower(),
    lambda text: text.strip().upper(),
)

LONGEST_CODED = 1000
"""Longest text, in characters, in which encodings are searched."""

_CODED = re.compile(r"[\w+/-]{4,}={0,2}", re.ASCII)

_CODES: tuple[tuple[Callable[[str], bytes], Callable[[bytes], bytes]], ...] = (
    (partial(b64decode, validate=True), b64encode),
    (lambda word: b64decode(word, altchars=b"-_", validate=True), urlsafe_b64encode),
    (
        lambda word: b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True),
        lambda data: urlsafe_b64encode(data).rstrip(b"="),
    ),
    (bytes.fromhex, hexlify),
)
"""Encodings of bytes in texts: how to decode and how to encode."""

DATE_FORMATS = (
    "%Y-%m-%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%Y/%m/%d",
    "%Y%m%d",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
)
"""Usual formats of dates and times, likeliest first."""


def inverses(sent: object, observed: object, wish: object) -> Iterator[tuple[int, object]]:
    """Yield (rank, value to send) for each way in which the code may have made `observed`."""
    if isinstance(observed, bytes):
        observed = observed.decode("latin-1")
    if isinstance(wish, bytes):
        wish = wish.decode("latin-1")
    if isinstance(sent, bytes):
        for rank, value in _inverses_of_text(sent.decode("latin-1"), observed, wish):
            if isinstance(value, str):
                yield rank, value.encode("latin-1", "ignore")
        return
    if isinstance(sent, str):
        yield from _inverses_of_text(sent, observed, wish)
    elif isinstance(sent, (int, float)):
        yield from _inverses_of_number(sent, observed, wish)


def _inverses_of_number(
    sent: float, observed: object, wish: object
) -> Iterator[tuple[int, object]]:
    if isinstance(observed, bool):
        return
    if isinstance(observed, (int, float)):
        if observed == sent:
            yield EXACT, wish
            return
        if isinstance(wish, (int, float)) and observed and observed == -sent:
            yield CONVERTED, -wish
            return
    # Outside JSON a number is sent as a text, and the code may split that text.
    for rank, changed in _inverses_of_text(str(sent), observed, wish):
        yield max(rank, CONVERTED), _as_number(changed)


def _as_number(wish: object) -> object:
    number = _number_in(wish) if isinstance(wish, str) else None
    return wish if number is None else number


def _inverses_of_text(sent: str, observed: object, wish: object) -> Iterator[tuple[int, object]]:
    if isinstance(observed, str):
        yield from _from_text_to_text(sent, observed, wish)
    elif isinstance(observed, (int, float)):
        if not isinstance(observed, bool):
            yield from _from_text_to_number(sent, observed, wish)
    elif isinstance(observed, (datetime.date, datetime.time)):
        yield from _from_text_to_moment(sent, observed, wish)
    elif isinstance(observed, (list, tuple)):
        yield from _from_text_to_parts(sent, observed, wish)
    elif observed is not None and _spells(observed, sent):
        yield CONVERTED, _spelt(wish)


def _from_text_to_text(sent: str, observed: str, wish: object) -> Iterator[tuple[int, object]]:
    if observed == sent:
        yield EXACT, wish if isinstance(wish, str) else _spelt(wish)
        return
    if not observed or not isinstance(wish, str):
        return
    if any(fold(sent) == observed for fold in _FOLDS):
        yield EXACT, wish
        return
    if sent[::-1] == observed:
        yield CONVERTED, wish[::-1]
    if unquote(sent) == observed:
        yield CONVERTED, quote(wish)
    yield from _replaced_parts(sent, observed, wish)
    yield from _recoded_parts(sent, observed, wish)
    if sent and (sent in observed or sent.lower() in observed):
        inner = _without_frame(sent if sent in observed else sent.lower(), observed, wish)
        if inner is not None:
            yield PART, inner


def _replaced_parts(sent: str, observed: str, wish: str) -> Iterator[tuple[int, object]]:
    """Replace the part of `sent` that was observed: at its last place, its first, or all."""
    for haystack in (sent, sent.lower(), sent.upper()):
        if len(haystack) != len(sent) or observed not in haystack:
            continue
        last, first = haystack.rfind(observed), haystack.find(observed)
        for position in dict.fromkeys((last, first)):
            end = position + len(observed)
            yield PART, sent[:position] + wish + sent[end:]
        if first != last:
            yield PART, haystack.replace(observed, wish)
        return


def _recoded_parts(sent: str, observed: str, wish: str) -> Iterator[tuple[int, object]]:
    """Undo base64 and hexadecimal digits: of all of `sent`, or of one word in it."""
    if len(sent) > LONGEST_CODED:
        return
    for match in _CODED.finditer(sent):
        before, after = sent[: match.start()], sent[match.end() :]
        for decode, encode in _CODES:
            text = _decoded(match[0], decode)
            if text is None or observed not in text:
                continue
            for rank, inner in _replaced_parts(text, observed, wish):
                with suppress(UnicodeEncodeError):
                    yield rank, before + encode(str(inner).encode("latin-1")).decode() + after


def _decoded(word: str, decode: Callable[[str], bytes]) -> str | None:
    try:
        return decode(word).decode("latin-1")
    except ValueError:  # binascii raises a subclass of it
        return None


def _without_frame(inner: str, observed: str, wish: str) -> str | None:
    """Undo an f-string: ``hello`` + inner against a wish ``hello7`` gives ``7``."""
    before, _, after = observed.partition(inner)
    if len(wish) >= len(before) + len(after) and wish.startswith(before) and wish.endswith(after):
        return wish[len(before) : len(wish) - len(after)]
    return None


def _from_text_to_number(sent: str, observed: float, wish: object) -> Iterator[tuple[int, object]]:
    if isinstance(wish, bool) or not isinstance(wish, (int, float)):
        return
    number = _number_in(sent)
    if number is not None and number == observed:
        yield EXACT, _number_text(wish)
    elif number is not None and observed and number == -observed:
        yield CONVERTED, _number_text(-wish)
    if len(sent) == observed and isinstance(wish, int) and 0 <= wish <= LONGEST_PADDING:
        yield CONVERTED, resized(sent, wish)
    if isinstance(wish, int) and 0 < observed < wish <= MOST_PARTS:
        yield from _with_more_parts(sent, observed, wish)
    if number is None:
        yield from _replaced_number(sent, observed, wish)
        is_character = len(sent) == 1 and ord(sent) == observed
        if is_character and isinstance(wish, int) and 0 <= wish <= LARGEST_CODE_POINT:
            yield CONVERTED, chr(wish)


def _with_more_parts(sent: str, observed: float, wish: int) -> Iterator[tuple[int, object]]:
    """Undo the counting of parts: one part against a wish for two needs a separator."""
    for separator in (".", ",", " ", "-", ":", "/"):
        if len(sent.split(separator)) == observed:
            yield GUESSED, sent + f"{separator}a" * (wish - int(observed))


def _replaced_number(sent: str, observed: float, wish: float) -> Iterator[tuple[int, object]]:
    """Replace a number inside a text such as a date, a version or a range."""
    for match in re.finditer(r"\d+(?:\.\d+)?", sent, re.ASCII):
        if _number_in(match[0]) == observed:
            text = _number_text(wish)
            if isinstance(wish, int) and match[0].startswith("0"):
                text = text.zfill(len(match[0]))
            yield PART, sent[: match.start()] + text + sent[match.end() :]


def _number_in(text: str) -> int | float | None:
    # Long texts are no numbers, and int() of thousands of digits is slow.
    if len(text) > LONGEST_NUMBER:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _number_text(number: float) -> str:
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return str(number)


def resized(text: str, length: int) -> str:
    """Return `text` cut or padded to a length; padding repeats its last character."""
    if length <= len(text):
        return text[:length]
    return text + (text[-1:] or "a") * (length - len(text))


def _from_text_to_moment(
    sent: str, observed: datetime.date | datetime.time, wish: object
) -> Iterator[tuple[int, object]]:
    if not isinstance(wish, (datetime.date, datetime.time)):
        return
    if isinstance(observed, datetime.time) or isinstance(wish, datetime.time):
        if observed.isoformat().startswith(sent):
            yield CONVERTED, wish.isoformat()
        return
    iso = observed.isoformat()
    if sent in (iso, str(observed), iso.replace("+00:00", "Z")):
        yield EXACT, wish.isoformat()
        return
    for pattern in DATE_FORMATS:
        if observed.strftime(pattern) == sent:
            yield EXACT, wish.strftime(pattern)
            return
    if iso.startswith(sent) or sent.startswith(iso):
        yield CONVERTED, wish.isoformat()


def _from_text_to_parts(
    sent: str, observed: list[object] | tuple[object, ...], wish: object
) -> Iterator[tuple[int, object]]:
    """Undo a split: ``a,b`` against a wish for ("x", "y") gives ``x,y``."""
    if not isinstance(wish, (list, tuple)) or not all(isinstance(part, str) for part in wish):
        return
    for separator in SEPARATORS:
        if sent.split(separator) == list(observed):
            yield CONVERTED, separator.join(str(part) for part in wish)
            return


def with_length(sent: object, now: object, wanted: object) -> Iterator[tuple[int, object]]:
    """Yield (rank, value to send) for a collection of length `now` that should have another one.

    The code may have made it of the items of a list, or of the parts of a text.
    """
    if not isinstance(wanted, int):
        return
    if isinstance(sent, list) and len(sent) == now:
        yield CONVERTED, items_of_length(sent, wanted)
    elif isinstance(sent, str) and wanted <= MOST_PARTS:
        for separator in SEPARATORS:
            parts = sent.split(separator)
            if len(parts) == now:
                yield GUESSED, separator.join(items_of_length(parts, wanted))


def _spells(value: object, text: str) -> bool:
    """Say whether `text` is the written form of `value` (a UUID, a Decimal, an enum member)."""
    if isinstance(value, (dict, set, frozenset, list, tuple)):
        return False
    try:
        if str(value).lower() == text.lower():
            return True
        return str(getattr(value, "value", None)) == text
    except Exception:  # a value of the application: its methods may raise anything
        return False


def _spelt(wish: object) -> object:
    """Return the text of a wish that a conversion produced."""
    if isinstance(wish, float):
        return _number_text(wish) if math.isfinite(wish) else str(wish)
    if isinstance(wish, (bool, int)) or wish is None or isinstance(wish, (list, dict, tuple)):
        return wish
    inner = getattr(wish, "value", None)
    return str(inner) if isinstance(inner, (str, int)) else str(wish)
