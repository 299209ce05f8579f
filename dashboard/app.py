"""The entry point: ``streamlit run dashboard/app.py``."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.views import stereotypes

MARK = Path(__file__).parent / "mark.svg"


def main() -> None:
    """Set the page up and show the one that the address names."""
    st.set_page_config(page_title="NNM Explorer", page_icon=str(MARK), layout="wide")
    page = st.Page(
        stereotypes.render, title="Stereotypes", icon=":material/groups:", url_path="stereotypes", default=True
    )
    st.navigation([page]).run()


if __name__ == "__main__":
    main()
