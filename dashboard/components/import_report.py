"""What became of the rows of a file."""

from __future__ import annotations

import streamlit as st

from dashboard.wording import counted, md
from nnm_core.datasets import ImportReport


def show_report(report: ImportReport) -> None:
    """Show rows read, kept and dropped with the reasons, and what else is worth knowing."""
    st.markdown(
        f"**{report.rows_kept:,}** of {counted(report.rows_read, 'row')} kept"
        + (f", {report.rows_dropped:,} left out." if report.rows_dropped else "; nothing was left out.")
    )
    for group in report.dropped:
        examples = "".join(f"\n    - {md(str(example), 160)}" for example in group.examples)
        st.markdown(f"- {counted(group.count, 'row')}: {md(group.reason, 200)}{examples}")
    for file in report.files:
        st.caption(f"{md(file.label, 160)}, {counted(file.n_rows, 'row')}")
    for note in report.notes:
        st.caption(f"Note: {md(note, 400)}")
