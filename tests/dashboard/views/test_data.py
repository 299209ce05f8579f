"""The page with the data: what each rating counts as."""

import re
from dataclasses import replace

import numpy as np
import pytest

from dashboard.compute import store
from dashboard.storage.records import KeptWork
from dashboard.views.data import describe_mapping
from nnm_core import Ratings, Scale
from nnm_core.datasets import Dataset, Labels
from nnm_core.datasets.synthetic import invented_report
from tests.dashboard.views.conftest import texts


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (Scale(0, 1), "0 counts as 0 and 1 as 1"),
        (Scale(1, 2), "1 counts as 0 and 2 as 1"),
        (Scale(1, 5), "1 as 0.2, 2 as 0.4, 3 as 0.6, 4 as 0.8 and 5 as 1."),
        (Scale(0.5, 5, 0.5), "0.5 as 0.1, 1 as 0.2, … 5 as 1."),
        (Scale(-10, 10, 0), "−10 counts as 0, 10 as 1, and the rest in proportion"),
    ],
)
def test_every_scale_says_what_its_ratings_count_as(scale, said):
    assert said in describe_mapping(scale)


@pytest.mark.parametrize("scale", [Scale(0, 4), Scale(1, 10), Scale(0.5, 5, 0.5), Scale(0, 1), Scale(-1, 1, 2)])
def test_what_is_said_is_what_the_model_is_fitted_to(scale):
    pairs = re.findall(r"([−\d.]+) (?:counts )?as ([\d.]*\d)", describe_mapping(scale))
    assert len(pairs) >= 2
    ratings, units = (np.array([float(part.replace("−", "-")) for part in side]) for side in zip(*pairs, strict=True))
    np.testing.assert_allclose(scale.to_unit(ratings), units, atol=1e-5)


def test_the_page_says_it_of_the_scale_in_use(page, clicks):
    users, items = np.nonzero(np.ones((6, 6)))
    ids = [f"i{k}" for k in range(6)]
    ratings = Ratings.from_numbers(
        users, items, (users + items) % 2, [f"p{k}" for k in range(6)], ids, scale=Scale(0, 1)
    )
    thumbs = Dataset("thumbs", ratings, tuple(ids), Labels.none(6))
    assert describe_mapping(Scale(0, 1)) in texts(page("data", thumbs))
    assert "probability of liking" not in texts(page("data", clicks))  # nobody rated


def test_the_database_is_asked_for_names_once_however_many_data_sets_there_are(page, cinema, monkeypatch):
    """The list of data sets shows a name for each of them."""
    for k in range(12):
        store.keep_own(replace(cinema, name=f"Cinema {k}"), invented_report(cinema), "tester")
    asked, datasets = [], KeptWork.datasets
    monkeypatch.setattr(KeptWork, "datasets", lambda *arguments: asked.append(1) or datasets(*arguments))
    app = page("learn")
    assert {f"Cinema {k} (yours)" for k in range(12)} <= set(app.selectbox(key="data").options)
    assert len(asked) == 1
