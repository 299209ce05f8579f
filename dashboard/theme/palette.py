"""The colours of the dashboard, in light and in dark, and what they mean.

- ``Look.color(k)``: stereotype ``k``. Every bar, corner, segment or block of a stereotype has it, on every page.
- ``Look.traits``: values of a trait, on the map of people.
- ``accent``: what is chosen, and single curves; ``muted``: what is only there to compare with.
- ``ink``, ``paper``, ``panel``, ``faint``: text, page, boxes, grid lines.

Pale means "could be chance": the same colour through :func:`translucent`.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import Literal

Mood = Literal["light", "dark"]

# fmt: off
_LIGHT_COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#b8578f", "#a07a00", "#3d9bd1",
    "#7f5ab6", "#8c564b", "#5f6b73", "#3a7d44", "#b03a48", "#2f4b7c",
)
_DARK_COLORS = (
    "#4aa8e0", "#f0843c", "#2fc79a", "#df8fbd", "#d3ac33", "#8fd0f5",
    "#ab8ee0", "#bd8a7e", "#9aa7b0", "#71b87c", "#e07a86", "#7f9fd6",
)
# fmt: on
_LIGHT_TRAITS = ("#2d2d87", "#c3b44b", "#960f00", "#87c387", "#f087b4", "#8778f0", "#691e2d", "#4b2d5a")
_DARK_TRAITS = ("#f0f069", "#695ad2", "#78ffd2", "#b44b00", "#5a965a", "#a55a78", "#b4f096", "#875aa5")


@dataclass(frozen=True, slots=True)
class Look:
    """Every colour that a picture needs.

    ``colors``: of stereotypes, after Okabe and Ito; the first six differ for colour-blind eyes too. ``traits``: of
    values of a trait; for colour-blind eyes too, they differ from one another, from the first six stereotypes and from
    grey.
    """

    mood: Mood
    ink: str
    muted: str
    faint: str
    paper: str
    panel: str
    accent: str
    colors: tuple[str, ...]
    traits: tuple[str, ...]

    def color(self, stereotype: int) -> str:
        """Return the colour of a stereotype; beyond the list, one that is computed."""
        known = len(self.colors)
        return self.colors[stereotype] if stereotype < known else _further(stereotype - known, self.mood)

    @property
    def main_button(self) -> Literal["primary", "secondary"]:
        """The type of a page's main button: Streamlit writes white on a primary one, unreadable on the dark accent."""
        return "primary" if self.mood == "light" else "secondary"


def _further(number: int, mood: Mood) -> str:
    """Return a colour beyond the list: ten hues round the circle, then ten between them in another lightness."""
    turn, place = divmod(number, 10)
    hue = (0.02 + 0.3 * place + 0.05 * turn) % 1.0
    strengths = (0.45, 0.25) if mood == "light" else (0.62, 0.82)
    red, green, blue = colorsys.hls_to_rgb(hue, strengths[turn % 2], 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


LIGHT = Look("light", "#101418", "#5e656d", "#e6e1d6", "#fdfcf9", "#f3f0e9", "#0b5c8a", _LIGHT_COLORS, _LIGHT_TRAITS)
DARK = Look("dark", "#e9e6df", "#a7adb4", "#343a41", "#16191d", "#1f2429", "#6db7e0", _DARK_COLORS, _DARK_TRAITS)


def look(mood: str | None) -> Look:
    """Return the look of a mood; the light one if it is not known."""
    return DARK if mood == "dark" else LIGHT


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour with an opacity, as ``rgba(…)``."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two hex colours, from 1 to 21; text needs 4.5 (WCAG 2, level AA)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def written_on(color: str) -> str:
    """Return black or white, whichever has the higher contrast on this colour."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, color))
