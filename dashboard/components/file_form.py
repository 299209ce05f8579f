"""How a file begins and how it is written: the guess, shown, and a way to correct it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from dashboard.wording import md
from nnm_core.datasets import Dialect, TableSample
from nnm_core.datasets.readers import sniff_table
from nnm_core.datasets.sources import SourceFile

_ROWS = 6
_COLUMNS = 40
_DELIMITERS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "vertical bars",
    ":": "colons",
    "::": "double colons",
    " ": "spaces",
}
_ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16": "Unicode (UTF-16)",
    "cp1252": "Western Europe (Windows-1252)",
    "latin-1": "Western Europe (Latin-1)",
    "iso-8859-15": "Western Europe (Latin-9)",
    "cp1250": "Central Europe (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "shift_jis": "Japanese (Shift JIS)",
    "euc-kr": "Korean (EUC-KR)",
}


def show(guess: TableSample, file: SourceFile, *, wrong: bool = False) -> TableSample:
    """Show how a file begins; the table as the guess or, where they correct it, as people say it is written.

    ``wrong``: the guess is known to be of no use, so the way to correct it stands open.
    """
    place = st.container()
    read = guess
    if guess.dialect is not None:
        with st.expander("The columns look wrong?", icon=":material/tune:", expanded=wrong):
            dialect = _dialect(guess.dialect, file.path)
        if dialect != guess.dialect:
            read = sniff_table(file, dialect)
    with place:
        st.markdown(f"**{md(file.path, 80)}** begins like this:")
        rows = [row[:_COLUMNS] for row in read.sample[:_ROWS]]
        st.dataframe(
            pd.DataFrame(rows, columns=list(read.columns[:_COLUMNS])),
            hide_index=True,
            width="stretch",
            key=f"preview-{file.path}",
        )
    return read


def _dialect(guess: Dialect, file: str) -> Dialect:
    """Delimiter, encoding and header, at the guess until somebody changes them."""
    st.caption("Say how the file is written; the rows above and the columns below follow at once.")
    first, second = st.columns(2)
    delimiter = first.selectbox(
        "Columns are separated by",
        _with(_DELIMITERS, guess.delimiter),
        index=_with(_DELIMITERS, guess.delimiter).index(guess.delimiter),
        format_func=lambda mark: _DELIMITERS.get(mark, f"“{mark}”"),
        accept_new_options=True,
        key=f"delimiter-{file}",
        help="Choose one, or type any other sign.",
    )
    encoding = second.selectbox(
        "The text is written in",
        _with(_ENCODINGS, guess.encoding),
        index=_with(_ENCODINGS, guess.encoding).index(guess.encoding),
        format_func=lambda name: _ENCODINGS.get(name, name),
        key=f"encoding-{file}",
        help="Choose another one where letters such as é or ш look wrong.",
    )
    header = st.checkbox("The first row names the columns", guess.header, key=f"header-{file}")
    read = replace(guess, encoding=encoding, header=header)
    if delimiter != guess.delimiter:
        read = replace(read, delimiter=delimiter, quote='"' if delimiter in ",;" else "", escape="", item_blocks=False)
    return read


def _with(texts: dict[str, str], guess: str) -> Sequence[str]:
    return list(texts) if guess in texts else [guess, *texts]
