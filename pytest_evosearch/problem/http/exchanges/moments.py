"""The present time in requests: its forms, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from datetime import datetime
from datetime import timedelta
from datetime import timezone
from email.utils import format_datetime
from email.utils import parsedate_to_datetime

from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.quick_dataclasses import dataclass

NEAR = timedelta(hours=1)
"""Largest distance from the present for a text to count as the present time."""

EXAMPLE = datetime(2024, 2, 29, 12, tzinfo=timezone.utc)
"""A time that is sent where nothing shows yet that code wants the present: it is always the same,
so that what a search does depends on the clock only where the application does."""


@dataclass(frozen=True)
class MomentForm:
    """A form in which a request holds the time."""

    make: Callable[[datetime], str]
    read: Callable[[str], datetime]
    code: str
    """The Python expression for this form."""
    imports: tuple[str, ...]

    def __reduce__(self) -> tuple[Callable[[int], MomentForm], tuple[int]]:
        """Pickle a form by its index: its functions cannot be sent to another process."""
        return _form_at, (FORMS.index(self),)

    def shows_the_present(self, text: str) -> bool:
        """Say whether a text is about the present time in this form."""
        try:
            moment = self.read(text)
            return self.make(moment) == text and abs(present() - moment) < NEAR
        except (ValueError, OverflowError, OSError, TypeError):
            return False


def present() -> datetime:
    """Return the time by the clock of the search."""
    return datetime.fromtimestamp(time.time(), timezone.utc)


def _form_at(place: int) -> MomentForm:
    return FORMS[place]


def form_of(text: str) -> MomentForm | None:
    """Return the form in which a text holds the present time, None when it does not."""
    return next((form for form in FORMS if form.shows_the_present(text)), None)


def is_present(number: float) -> bool:
    """Say whether a number is about the present time, in seconds or in milliseconds."""
    now, near = time.time(), NEAR.total_seconds()
    return abs(number - now) < near or abs(number / 1000 - now) < near


def written_times(fits: Callable[[str], bool]) -> Iterator[str]:
    """Yield `EXAMPLE` in the forms that `fits` accepts."""
    return filter(fits, (form.make(EXAMPLE) for form in FORMS))


def is_example(operand: object) -> bool:
    """Say whether code compares `EXAMPLE` itself."""
    number, began = _number_of(operand), EXAMPLE.timestamp()
    return number is not None and number in (began, began * 1000)


def with_the_present(text: str) -> str | None:
    """Return `text` with the present time instead of `EXAMPLE`; None where it does not hold it."""
    found = [form for form in FORMS if form.make(EXAMPLE) in text]
    if not found:
        return None
    form = max(found, key=lambda one: len(one.make(EXAMPLE)))
    return text.replace(form.make(EXAMPLE), form.make(present()))


def _number_of(operand: object) -> float | None:
    if isinstance(operand, timedelta):
        return operand.total_seconds()
    if isinstance(operand, datetime):
        return operand.timestamp()
    return operand if isinstance(operand, (int, float)) else None


def asks_for_the_present(operand: object) -> bool:
    """Say whether code compares the present time, or how long ago `EXAMPLE` was."""
    if isinstance(operand, str):
        return form_of(operand) is not None
    number, began = _number_of(operand), EXAMPLE.timestamp()
    if number is None:
        return False
    return any(map(is_present, (number, abs(number) + began, abs(number) + began * 1000)))


def _pattern(pattern: str) -> MomentForm:
    return MomentForm(
        lambda moment: moment.strftime(pattern),
        lambda text: datetime.strptime(text, pattern).replace(tzinfo=timezone.utc),
        f'datetime.now(timezone.utc).strftime("{pattern}")',
        _OF_DATES,
    )


_OF_DATES = ("from datetime import datetime", "from datetime import timezone")

_SECONDS = MomentForm(
    lambda moment: str(int(moment.timestamp())),
    lambda text: datetime.fromtimestamp(int(text), timezone.utc),
    "str(int(time.time()))",
    ("import time",),
)
_MILLISECONDS = MomentForm(
    lambda moment: str(round(moment.timestamp() * 1000)),
    lambda text: datetime.fromtimestamp(int(text) / 1000, timezone.utc),
    "str(round(time.time() * 1000))",
    ("import time",),
)
_ISO = MomentForm(
    lambda moment: moment.isoformat(timespec="seconds"),
    datetime.fromisoformat,
    'datetime.now(timezone.utc).isoformat(timespec="seconds")',
    _OF_DATES,
)
_HTTP = MomentForm(
    lambda moment: format_datetime(moment, usegmt=True),
    parsedate_to_datetime,
    "format_datetime(datetime.now(timezone.utc), usegmt=True)",
    (*_OF_DATES, "from email.utils import format_datetime"),
)
_ZULU = _pattern("%Y-%m-%dT%H:%M:%SZ")
_WITHOUT_ZONE = _pattern("%Y-%m-%dT%H:%M:%S")
_COMPACT = _pattern("%Y%m%dT%H%M%SZ")

FORMS = (_SECONDS, _MILLISECONDS, _ISO, _ZULU, _WITHOUT_ZONE, _COMPACT, _HTTP)
