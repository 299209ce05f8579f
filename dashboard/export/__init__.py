"""Files that need nothing else: ``files`` (CSV and HTML), ``tables`` (all ratings and mixtures), ``report`` (a page).

Imports ``theme``, ``wording`` and ``nnm_core`` only, so that it works without Streamlit.
"""
