"""The entry point: ``streamlit run dashboard/app.py``."""

from __future__ import annotations

import streamlit as st

from dashboard.views import stereotypes


def main() -> None:
    """Set the page up and show the one that the address names."""
    st.set_page_config(page_title="NNM Explorer", page_icon=":material/groups:", layout="wide")
    page = st.navigation(
        [
            st.Page(
                stereotypes.render, title="Stereotypes", icon=":material/groups:", url_path="stereotypes", default=True
            )
        ]
    )
    page.run()


if __name__ == "__main__":
    main()
