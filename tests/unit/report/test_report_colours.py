"""Every pair of colours of the page has the contrast that WCAG 2.1 AA asks of text."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

LEAST = 4.5
TONES = ("good", "bad", "warn", "blue")
PAIRS = [
    *((ink, ground) for ink in ("ink", "quiet", "accent") for ground in ("paper", "card", "wash")),
    *((tone, ground) for tone in TONES for ground in ("paper", "card", f"{tone}-soft")),
    *(("card", tone) for tone in TONES),
    *(("ink", f"{tone}-soft") for tone in TONES),
]


STYLE = files("pytest_evosearch.report").joinpath("page/style.css").read_text("utf-8")


def schemes() -> dict[str, dict[str, str]]:
    """The colours of the light and of the dark scheme."""
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    colours = re.compile(r"--([\w-]+): #([0-9a-f]{6})")
    first = dict(colours.findall(light))
    return {"light": first, "dark": {**first, **dict(colours.findall(dark.split("* {")[0]))}}


def luminance(colour: str) -> float:
    """WCAG's relative luminance of ``rrggbb``."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_contrast(scheme: str, ink: str, ground: str) -> None:
    colours = schemes()[scheme]
    assert contrast(colours[ink], colours[ground]) >= LEAST


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tone", [*TONES, "quiet"])
def test_contrast_on_the_heat_map(scheme: str, tone: str) -> None:
    colours = schemes()[scheme]
    shares = [int(share) for share in re.findall(r"--heat: (\d+)%", STYLE)]
    assert len(shares) == 3
    for share in shares:
        ground = mixed(colours[tone], colours["card"], share / 100)
        assert contrast(colours["ink"], ground) >= LEAST
    assert contrast(colours["card"], colours[tone]) >= LEAST


def mixed(one: str, other: str, share: float) -> str:
    """``color-mix(in srgb, one share, other)``."""
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (0, 2, 4)]
    return "".join(f"{round(first * share + second * (1 - share)):02x}" for first, second in parts)
