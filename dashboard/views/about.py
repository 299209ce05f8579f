"""Page: the paper behind the model, licences and versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import streamlit as st

from dashboard.components.common import tour
from dashboard.wording import NAME, md
from nnm_core.datasets import catalogue
from nnm_core.datasets.synthetic import demo

PAPER = "https://arxiv.org/abs/1511.04775"
SEQUEL = "https://arxiv.org/abs/1511.06718"
_PACKAGES = ("nnm-explorer", "streamlit", "plotly", "numpy", "scipy", "pandas", "numba", "pyarrow", "networkx")


def render() -> None:
    """Show the page."""
    st.title(f"About {NAME}")
    st.markdown(
        f"{NAME} shows the audience of a catalogue as a mixture of a few stereotypes. It implements the normalized "
        "nonnegative models (NNMs) of these papers:\n\n"
        "- Cyril J. Stark. **Expressive recommender systems through normalized nonnegative models**. AAAI 2016.\n"
        "- Cyril J. Stark. **Top-N recommendations from expressive recommender systems**. 2015."
    )
    with st.container(horizontal=True):
        st.link_button("The paper: arXiv 1511.04775", PAPER, icon=":material/article:")
        st.link_button("Its sequel: arXiv 1511.06718", SEQUEL, icon=":material/article:")
    st.markdown("New to this? The page **Learn** explains the model in seven scenes. A tour shows where things are.")
    tour.offer()
    st.header("Licences")
    st.markdown(
        "The program is under the **MIT licence**. Data have licences of their own:\n\n"
        f"- **MovieLens small**, which comes with the program: {md(catalogue.BUNDLED_ENTRY.licence, 400)} "
        f"Please cite: {md(catalogue.CITATION, 300)}.\n"
        f"- **Invented cinema**: {md(demo().dataset.licence, 200)}\n"
        "- Other MovieLens sets show their licence before they are downloaded. Your own data stay yours."
    )
    st.header("Versions")
    st.table(versions())


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that are used, {name: version}."""
    found = {"Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed as a package"
    return found
