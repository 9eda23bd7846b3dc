"""Random texts worth trying, small changes to them, and simpler ones.

Plain functions on plain strings: the genes in `text` and `formats` add constraints.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from collections.abc import Iterator

from pytest_evosearch.core.randomness import Random

WORDS = (
    *("a", "b", "abc", "foo", "bar", "test", "hello", "name", "one", "two", "red", "blue"),
    *("item", "user", "admin", "title", "Ann", "Bob", "Hello World", "x y"),
)
"""Short words that read well in a written test."""

PRINTABLE = string.digits + string.ascii_letters + string.punctuation + " "

UNICODE = "éßñøŁжщאع漢字한あ😀\u00a0\u200b\u0301\u202e\u0130\u0131\u017f\ufeff"
"""Letters of several scripts, and characters that change length or vanish when processed."""

USUAL_LENGTH = 10
"""Longest text that is drawn without a reason for a longer one."""

LONG_LENGTHS = (64, 255, 256, 1000)
"""Usual limits of columns and buffers."""

LARGEST_CODE_EXPONENT = 6
"""Largest step of a character: 2^6, enough to cross ASCII at once."""


def draw_character(rng: Random, alphabet: str | None = None) -> str:
    """Draw one character: of `alphabet`, or mostly a letter, sometimes any printable one."""
    if alphabet:
        return rng.choice(alphabet)
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(string.ascii_lowercase)
    if kind < 0.75:
        return rng.choice(string.digits)
    if kind < 0.85:
        return rng.choice(string.ascii_uppercase)
    return rng.choice(PRINTABLE if kind < 0.985 else UNICODE)


def draw_text(
    rng: Random, minimum: int = 0, maximum: int | None = None, alphabet: str | None = None
) -> str:
    """Draw a text of `minimum` to `maximum` characters: mostly short, readable and lower case."""
    if alphabet is None:
        readable = _draw_readable(rng)
        if readable is not None and minimum <= len(readable) and fits(readable, maximum):
            return readable
    length = draw_length(rng, minimum, maximum)
    letters = alphabet or (string.ascii_lowercase if rng.random() < 0.5 else None)
    return "".join(draw_character(rng, letters) for _ in range(length))


def fits(text: str, maximum: int | None) -> bool:
    """Say whether `text` has at most `maximum` characters."""
    return maximum is None or len(text) <= maximum


def _draw_readable(rng: Random) -> str | None:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(WORDS)
    if kind < 0.4:
        return str(rng.randint(0, 999))
    return "" if kind < 0.45 else None


def draw_length(rng: Random, minimum: int, maximum: int | None) -> int:
    """Draw a length: mostly near the lower bound, sometimes at a bound, rarely long."""
    kind = rng.random()
    if kind < 0.1:
        return minimum
    if kind < 0.15 and maximum is not None and maximum <= LONG_LENGTHS[-1]:
        return maximum
    if kind > 0.995:
        length = max(minimum, rng.choice(LONG_LENGTHS))
    else:
        length = minimum + rng.randint(0 if minimum else 1, USUAL_LENGTH // 2)
        if kind > 0.8:
            length += rng.randint(0, USUAL_LENGTH)
    return length if maximum is None else min(length, maximum)


def neighbour(character: str, rng: Random, strength: float, alphabet: str | None = None) -> str:
    """Return a character whose code differs by plus or minus 2^i, or another of `alphabet`.

    Inside an alphabet, the step follows its order. The result may equal `character`.
    """
    exponent = rng.randint(0, round(strength * LARGEST_CODE_EXPONENT))
    step = rng.choice((1, -1)) * (1 << exponent)
    if alphabet:
        position = alphabet.find(character)
        return rng.choice(alphabet) if position < 0 else alphabet[(position + step) % len(alphabet)]
    code = ord(character) + step
    if ord(character) < 127:
        # Wrap around inside printable ASCII, space to tilde: 95 characters.
        return chr(32 + (code - 32) % 95)
    return chr(code) if code < 0x110000 and chr(code).isprintable() else draw_character(rng)


def vary_text(text: str, rng: Random, strength: float = 0.5, alphabet: str | None = None) -> str:
    """Return `text` with one small change; the result may equal `text`."""
    if not text:
        return draw_character(rng, alphabet)
    kind = rng.random()
    if kind < 0.35:
        at = rng.randrange(len(text))
        return text[:at] + neighbour(text[at], rng, strength, alphabet) + text[at + 1 :]
    if kind < 0.5:
        at = rng.randrange(len(text))
        return text[:at] + draw_character(rng, alphabet) + text[at + 1 :]
    operation = rng.choices(_OPERATIONS, _OPERATION_WEIGHTS)[0]
    return operation(text, rng, alphabet)


def _append(text: str, rng: Random, alphabet: str | None) -> str:
    return text + draw_character(rng, alphabet)


def _insert(text: str, rng: Random, alphabet: str | None) -> str:
    at = rng.randrange(len(text))
    return text[:at] + draw_character(rng, alphabet) + text[at:]


def _delete(text: str, rng: Random, alphabet: str | None) -> str:  # noqa: ARG001
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 :]


def _truncate(text: str, rng: Random, alphabet: str | None) -> str:  # noqa: ARG001
    return text[: rng.randrange(len(text))]


def _duplicate(text: str, rng: Random, alphabet: str | None) -> str:  # noqa: ARG001
    start = rng.randrange(len(text))
    end = rng.randint(start + 1, len(text))
    return text[:end] + text[start:end] + text[end:]


def _swap(text: str, rng: Random, alphabet: str | None) -> str:  # noqa: ARG001
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :]


def _change_case(text: str, rng: Random, alphabet: str | None) -> str:
    # Some letters change length with their case ("ß"): leave those to the other operations.
    changed = rng.choice((str.upper, str.lower, str.swapcase, str.capitalize))(text)
    allowed = alphabet is None or all(character in alphabet for character in changed)
    return changed if len(changed) == len(text) and allowed else text


_OPERATIONS: tuple[Callable[[str, Random, str | None], str], ...] = (
    _append,
    _insert,
    _delete,
    _truncate,
    _duplicate,
    _swap,
    _change_case,
)
_OPERATION_WEIGHTS = (10, 7, 10, 3, 3, 3, 4)


def fit_length(
    text: str, minimum: int, maximum: int | None, rng: Random, alphabet: str | None
) -> str:
    """Return `text` cut or padded with random characters to the allowed length."""
    if not fits(text, maximum):
        return text[:maximum]
    missing = minimum - len(text)
    return text + "".join(draw_character(rng, alphabet) for _ in range(missing))


def simplicity(text: str) -> tuple[int, int]:
    """Return a key that orders texts by simplicity: by length, then by plainness."""
    return (len(text), sum(_plainness(character) for character in text))


def _plainness(character: str) -> int:
    if "a" <= character <= "z":
        return ord(character) - ord("a")
    if character.isascii():
        # After all lower-case letters: digits and capitals, then the rest of ASCII.
        return (100 if character.isalnum() else 300) + ord(character)
    return 1000 + ord(character)


_READABLE_ADDRESS = re.compile(r"[a-z]+(\.[a-z]+)?@[a-z]+(\.[a-z]+)+|https?://[a-z]+(\.[a-z]+)*/?")

_CREDENTIALS = re.compile(r"(basic|bearer) \S+", re.IGNORECASE)
_SHORT_BASIC = "YTph"
"""The name ``a`` with the password ``a`` (RFC 7617)."""

LONGEST_READABLE = 30
"""Most characters of an address that reads well."""


def is_readable_address(text: str) -> bool:
    """Say whether a text is an address of a mailbox or site that a person could have invented."""
    return len(text) <= LONGEST_READABLE and _READABLE_ADDRESS.fullmatch(text) is not None


def simpler_words(text: str, minimum: int = 0, alphabet: str | None = None) -> Iterator[str]:
    """Yield `simpler_texts` in an order for readers, who would think that an empty name matters.

    One letter comes before the empty text. Readable addresses and credentials are only replaced by
    these, and never shortened: ``ann@example.com`` is better than ``n@ple.c``, and credentials need
    their ``Basic``.
    """
    plain = _plain_letter(alphabet)
    if is_readable_address(text):
        yield from (short for short in (plain, "") if len(short) >= minimum)
        return
    scheme = _CREDENTIALS.fullmatch(text)
    if scheme is not None:
        short = _SHORT_BASIC if scheme[1].lower() == "basic" else "a"
        candidates = (plain, "", scheme[1], f"{scheme[1]} {short}")
        yield from (one for one in candidates if minimum <= len(one) < len(text))
    elif minimum > 1:
        yield from simpler_texts(text, minimum, alphabet)
    elif text != plain:
        yield plain
        yield from (other for other in simpler_texts(text, minimum, alphabet) if other != plain)


def simpler_texts(text: str, minimum: int = 0, alphabet: str | None = None) -> Iterator[str]:
    """Yield simpler texts of at least `minimum` characters, the simplest first.

    The order is: empty, one letter, longer and longer parts, one character less, then plainer
    letters.
    """
    plain = _plain_letter(alphabet)
    seen = set()
    for candidate in _simpler_candidates(text, minimum, plain, alphabet):
        if candidate not in seen and simplicity(candidate) < simplicity(text):
            seen.add(candidate)
            yield candidate


def _plain_letter(alphabet: str | None) -> str:
    return "a" if alphabet is None or "a" in alphabet else min(alphabet, key=_plainness)


def _simpler_candidates(text: str, minimum: int, plain: str, alphabet: str | None) -> Iterator[str]:
    yield plain * minimum
    if minimum <= 1:
        yield plain
    removed = len(text) // 2
    while removed:
        if len(text) - removed >= minimum:
            yield text[: len(text) - removed]
            yield text[removed:]
        removed //= 2
    if len(text) <= USUAL_LENGTH * 3 and len(text) > minimum:
        for at in range(len(text)):
            yield text[:at] + text[at + 1 :]
    yield plain * len(text)
    if alphabet is None:
        yield text.lower()
    # Shorten a very long text first: one candidate for each character would be too many.
    for at in range(min(len(text), USUAL_LENGTH * 3)):
        yield text[:at] + plain + text[at + 1 :]


def plain_digits(length: int) -> str:
    """Return digits as people would write them: 1, 12, 123, and the year 2012.

    12 is a month, a day, an hour, a minute and a week.
    """
    return "2012" if length == len("2012") else ("1234567890" * length)[:length]


def with_plain_digits(text: str) -> str:
    """Return a text with plain digits in the place of its own."""
    return re.sub(r"[0-9]+", lambda run: plain_digits(len(run[0])), text)
