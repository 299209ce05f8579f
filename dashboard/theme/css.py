"""Style sheets for what Streamlit's own theme does not cover."""

from __future__ import annotations

from dashboard.theme.palette import Look

STYLE = (
    "<style>"
    # Pictures as wide as their column in whole pixels: any other width Streamlit and plotly round each in their own
    # way, and every picture is drawn a second time at what the other one made of it.
    "div[data-testid=stFullScreenFrame]{width:round(down,100%,1px)}"
    # What makes a slider act while it is dragged is not to be seen, and takes no room.
    "[class*=st-key-live-]{display:none}"
    # The title near the top, so that a projector shows more than a title.
    "[data-testid=stMainBlockContainer]{padding-top:4.5rem}"
    # As many towers to a row as have room for a name and a bar: three or two on a desk, one on a phone.
    "[class*=st-key-towers]>div>[data-testid=stHorizontalBlock]{display:grid;gap:1rem 3rem;"
    "grid-template-columns:repeat(auto-fill,minmax(max(240px,28%),1fr))}"
    ".st-key-towers-two>div>[data-testid=stHorizontalBlock]{"
    "grid-template-columns:repeat(auto-fill,minmax(max(240px,40%),1fr))}"
    "[class*=st-key-towers]>div>[data-testid=stHorizontalBlock]>[data-testid=stColumn]{width:100%;min-width:0}"
    "</style>"
)
"""The little that Streamlit's own theme does not say."""


def beside_a_form(key: str, style: Look) -> str:
    """How the four containers inside the one with this key stand: key-said, key-drawn, key-form and key-more.

    The form on the left and the others on the right; on a phone one below the other, and held upright, what is drawn
    stays at the top of the screen while the rest moves.
    """
    inside = "[data-testid=stLayoutWrapper]:has(>.st-key-" + key
    areas = "".join(f"{inside}-{part}){{grid-area:{part}}}" for part in ("said", "drawn", "form", "more"))
    return (
        f"<style>@media(min-width:641px){{.st-key-{key}{{display:grid;column-gap:3rem;"
        f"grid-template:'form said' auto 'form drawn' auto 'form more' 1fr/minmax(0,2fr) minmax(0,3fr)}}{areas}}}"
        f"@media(max-width:640px) and (min-height:640px){{{inside}-drawn)"
        f"{{position:sticky;top:3.75rem;z-index:9;max-height:13.5rem;overflow:auto;background:{style.paper};"
        f"border-bottom:1px solid {style.faint}}}"
        "[data-testid=stMain]{scroll-padding-top:18rem}}</style>"  # what is tabbed to comes out from below it
    )


def stripes(n_stereotypes: int, style: Look) -> str:
    """A style sheet that puts the colour of each stereotype on top of the container with the key ``portrait-{k}``.

    It is the same for many numbers of stereotypes, for with a new one a browser looks over the whole page again.
    """
    enough = 32 * -(-n_stereotypes // 32)
    rules = (f".st-key-portrait-{k}{{border-top-color:{style.color(k)}}}" for k in range(enough))
    return f"<style>[class*=st-key-portrait-]{{border-top:5px solid;padding-top:.5rem}}{''.join(rules)}</style>"
