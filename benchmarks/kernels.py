"""Functions on texts and numbers, which `benchmarks.pynguin` has tests written for.

They were written once, before any tool had seen them, and are not changed since.
"""

from __future__ import annotations


def has_luhn_digit(number: str) -> bool:
    """Say whether the last digit of a number is its Luhn check digit."""
    digits = [int(one) for one in number if one.isdigit()]
    if len(digits) < 2:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        if place % 2:
            digit *= 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10 == 0


def edit_distance(first: str, second: str) -> int:
    """Return how many characters must be inserted, left out or replaced."""
    row = list(range(len(second) + 1))
    for down, one in enumerate(first, 1):
        diagonal, row[0] = row[0], down
        for across, other in enumerate(second, 1):
            cost = diagonal + (one != other)
            diagonal = row[across]
            row[across] = min(cost, row[across] + 1, row[across - 1] + 1)
    return row[-1]


def is_balanced(text: str) -> bool:
    """Say whether the brackets of a text are balanced."""
    pairs = {")": "(", "]": "[", "}": "{"}
    open_ones: list[str] = []
    for one in text:
        if one in pairs.values():
            open_ones.append(one)
        elif one in pairs and (not open_ones or open_ones.pop() != pairs[one]):
            return False
    return not open_ones


def in_base(number: int, base: int) -> str:
    """Write a number with the digits of a base from 2 to 36."""
    if not 2 <= base <= 36:
        raise ValueError(f"no base: {base}")
    if number == 0:
        return "0"
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    sign, number = ("-", -number) if number < 0 else ("", number)
    written = ""
    while number:
        number, digit = divmod(number, base)
        written = digits[digit] + written
    return sign + written


def weekday(year: int, month: int, day: int) -> str:
    """Return the day of the week of a date, by the method of Sakamoto."""
    if month < 1 or month > 12:
        raise ValueError("no month")
    if day < 1 or day > 31:
        raise ValueError("no day")
    shifts = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)
    if month < 3:
        year -= 1
    number = (year + year // 4 - year // 100 + year // 400 + shifts[month - 1] + day) % 7
    return ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")[number]


def run_lengths(text: str) -> str:
    """Shorten runs of equal characters: `aaab` is `3ab`."""
    if any(one.isdigit() for one in text):
        raise ValueError("digits cannot be told from lengths")
    written = ""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end] != text[start]:
            length = end - start
            written += (str(length) if length > 1 else "") + text[start]
            start = end
    return written


def kind_of_triangle(a: float, b: float, c: float) -> str:
    """Say what kind of triangle has sides of three lengths."""
    shortest, middle, longest = sorted((a, b, c))
    if shortest <= 0 or shortest + middle <= longest:
        return "none"
    if shortest == longest:
        return "equilateral"
    if middle in (shortest, longest):
        return "isosceles"
    if shortest**2 + middle**2 == longest**2:
        return "right-angled"
    return "scalene"


def version_key(text: str) -> tuple[int, int, int]:
    """Return the three numbers of a version such as `v1.2.3` or `1.2`."""
    parts = text.removeprefix("v").split(".")
    if len(parts) > 3:
        raise ValueError(f"too many parts: {text}")
    numbers = [0, 0, 0]
    for place, part in enumerate(parts):
        if not part.isdecimal():
            raise ValueError(f"no number: {part}")
        numbers[place] = int(part)
    return numbers[0], numbers[1], numbers[2]


def collatz_steps(number: int, most: int = 200) -> int:
    """Return after how many steps a number becomes 1, or -1 after too many."""
    if number < 1:
        raise ValueError("only for positive numbers")
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
        if steps > most:
            return -1
    return steps


def price_after_discount(price: float, pieces: int, code: str = "") -> float:
    """Return what pieces cost together: many are cheaper, and so are some codes."""
    if price < 0 or pieces < 0:
        raise ValueError("nothing costs less than nothing")
    total = price * pieces
    if pieces >= 100:
        total *= 0.8
    elif pieces >= 10:
        total *= 0.95
    if code.startswith("MINUS") and code[5:].isdecimal():
        percent = int(code[5:])
        if percent <= 50:
            total -= total * percent / 100
    elif code == "FREE" and total < 20:
        return 0.0
    return round(total, 2)
