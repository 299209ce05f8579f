"""Tables as files."""

import io

import pandas as pd

from dashboard import export


def test_csv_runs_no_formula():
    table = pd.DataFrame({"title": ["=1+1", "-5", "plain", "@x"], "n": [-1.0, 2.0, 3.0, 4.0]})
    rounded = export.csv_bytes(pd.DataFrame({"many": [8045.21349, 0.123456], "share": [0.123456789, 1.0]}))
    assert rounded.decode("utf-8-sig").splitlines()[1:] == ["8045.2,0.1235", "0.1,1.0"]
    back = pd.read_csv(io.BytesIO(export.csv_bytes(table)), dtype=str)
    assert list(back["title"]) == ["'=1+1", "-5", "plain", "'@x"]
    assert list(back["n"]) == ["-1.0", "2.0", "3.0", "4.0"]
