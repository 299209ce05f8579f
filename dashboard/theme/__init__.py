"""What every page and picture looks like, in light and in dark.

``palette``: the colours and what they mean; a bar's colour is ``Look.color(stereotype)``. ``style``: the layout, the
type and the wordmark. Imports nothing of the dashboard, so figures, components and exports may all use it.
"""

from dashboard.theme.css import STYLE, beside_a_form, stripes
from dashboard.theme.palette import DARK, LIGHT, Look, Mood, contrast, look, translucent, written_on
from dashboard.theme.style import SANS, SERIF, TRANSPARENT, make_figure, wordmark

__all__ = [
    "DARK", "LIGHT", "SANS", "SERIF", "STYLE", "TRANSPARENT", "Look", "Mood", "beside_a_form", "contrast", "look",
    "make_figure", "stripes", "translucent", "wordmark", "written_on",
]  # fmt: skip
