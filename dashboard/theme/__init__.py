"""What every page and picture looks like, in light and in dark.

``palette``: the colours and what they mean; a bar's colour is ``Look.color(stereotype)``. ``style``: the layout, the
type and the wordmark. Imports no other part of the dashboard but ``streamlit_compat``, so everything may use it.
"""

from dashboard.theme.palette import DARK, LIGHT, Look, Mood, contrast, look, translucent, written_on
from dashboard.theme.style import SANS, SERIF, TRANSPARENT, make_figure, wordmark

__all__ = [
    "DARK", "LIGHT", "SANS", "SERIF", "TRANSPARENT", "Look", "Mood", "contrast", "look", "make_figure", "translucent",
    "wordmark", "written_on",
]  # fmt: skip
