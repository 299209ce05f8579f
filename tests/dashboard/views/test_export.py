"""The page Export: the report and the tables of a view."""

import io
from html import unescape

import numpy as np
import pandas as pd

from dashboard.components.common import display
from dashboard.theme import LIGHT
from nnm_core import fit, preset
from nnm_core.evaluation import cross_validate, random_folds


def test_the_report_of_a_page_is_light_and_has_accuracy_convergence_and_people(page, cinema, monkeypatch):
    made = {}
    monkeypatch.setattr(display, "download_button", lambda label, make, *_, **__: made.update({label: make}))
    page("export", cinema, D=2, seed=3)
    html = unescape(made["Report (HTML)"]())
    folds = random_folds(cinema.ratings, 5, 3)
    error = cross_validate(cinema.ratings, preset("recommended", n_stereotypes=2), folds, seed=3).scores.mae
    assert f"a mean absolute error of {error:.3f} stars" in html
    for title in ("What includes what", "The people", "Accuracy", "Has it converged?", "How it was made"):
        assert f"<h2>{title}</h2>" in html, title
    assert f"--paper:{LIGHT.paper}" in html
    assert "background: var(--paper)" in html
    assert "nnm report" in html
    table = pd.read_csv(io.BytesIO(made["stereotypes.csv"]()))
    likes = fit(cinema.ratings, preset("recommended", n_stereotypes=2), seed=3).likes
    np.testing.assert_allclose(table.iloc[:, 2:].to_numpy(), likes, atol=1e-4)


def test_a_stereotype_may_be_called_like_a_column_of_a_table(page, cinema, monkeypatch):
    made = {}
    monkeypatch.setattr(display, "download_button", lambda label, make, *_, **__: made.update({label: make}))
    page("export", cinema, D=2, names="person~title")
    mixtures, stereotypes = (pd.read_csv(io.BytesIO(made[name]())) for name in ("mixtures.csv", "stereotypes.csv"))
    assert list(mixtures.columns) == ["person", "person (2)", "title", "Enthusiast", "Skeptic"]
    assert list(mixtures["person"]) == list(cinema.ratings.user_ids)
    assert list(stereotypes.columns) == ["item", "title", "person", "title (2)", "Enthusiast", "Skeptic"]
    assert list(stereotypes["title"]) == list(cinema.titles)
