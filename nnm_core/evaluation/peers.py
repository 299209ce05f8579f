"""Peers on the same folds: means, and four methods through scikit-surprise with the paper's settings.

Where scikit-surprise differs from LibRec, which the paper used: it shrinks similarities only in the Pearson-baseline
form, so the paper's shrinkage goes there; its SVD++ has a fixed learning rate where LibRec's adapts; its NMF has other
updates, with which the paper's 100 or 300 factors and 10 iterations do not get anywhere (MAE 1.45 on u1), so NMF runs
with the library's own settings, 15 factors and 50 iterations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from nnm_core.errors import InputError
from nnm_core.evaluation.folds import Scores, mean, spread
from nnm_core.fitting.averages import damped_means
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray, IntArray

Predictor = Callable[[IntArray, IntArray], FloatArray]
MEANS = ("global mean", "user means", "item means", "user and item means")
SURPRISE = ("UserKNN", "ItemKNN", "NMF", "SVD++")

_PEARSON = {"name": "pearson_baseline"}
SETTINGS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "small": {
        "UserKNN": {"k": 60, "sim_options": _PEARSON | {"user_based": True, "shrinkage": 25}},
        "ItemKNN": {"k": 40, "sim_options": _PEARSON | {"user_based": False, "shrinkage": 2500}},
        "NMF": {},
        "SVD++": {"n_factors": 5, "n_epochs": 100, "lr_all": 0.01, "reg_all": 0.1},
    },
    "large": {
        "UserKNN": {"k": 80, "sim_options": _PEARSON | {"user_based": True, "shrinkage": 25}},
        "ItemKNN": {"k": 80, "sim_options": _PEARSON | {"user_based": False, "shrinkage": 10}},
        "NMF": {},
        "SVD++": {"n_factors": 10, "n_epochs": 80, "lr_all": 0.005, "reg_all": 0.05},
    },
}
"""The paper's settings for MovieLens 100K and for 1M, as near as the library allows."""

_LARGE = 300_000


@dataclass(frozen=True, slots=True, eq=False)
class Peer:
    """A method and its scores on each fold."""

    name: str
    folds: tuple[Scores, ...]
    seconds_fit: float

    @property
    def scores(self) -> Scores:
        """Mean over the folds."""
        return mean(self.folds)

    @property
    def spread(self) -> Scores:
        """Standard deviation over the folds."""
        return spread(self.folds)


def available() -> tuple[str, ...]:
    """Return the names of the peers that are installed."""
    return MEANS + (SURPRISE if find_spec("surprise") else ())


def evaluate_peer(name: str, ratings: Ratings, folds: Sequence[BoolArray], *, seed: int = 0) -> Peer:
    """Fit a peer, one of ``MEANS`` or ``SURPRISE``, on what each fold leaves and score it on what it holds out.

    >>> evaluate_peer("item means", ratings, random_folds(ratings, 2)).scores.mae < 1.3
    True
    """
    if name not in MEANS + SURPRISE:
        raise InputError(f"There is no peer {name!r}; choose one of {', '.join(MEANS + SURPRISE)}.")
    if name not in available():
        raise InputError(f"{name} needs scikit-surprise: pip install 'nnm-explorer[baselines]'.")
    found, seconds = [], []
    for k, held_out in enumerate(folds):
        train = ratings.subset(~held_out)
        began = time.perf_counter()
        predict = _means(name, train) if name in MEANS else _surprise(name, train, seed + k)
        seconds.append(time.perf_counter() - began)
        predicted = predict(ratings.users[held_out], ratings.items[held_out])
        found.append(Scores.of(predicted, ratings.values[held_out], ratings.scale))
    return Peer(name, tuple(found), float(np.mean(seconds)))


def _means(name: str, train: Ratings) -> Predictor:
    """Predict the mean of all ratings plus the damped deviation of the user, of the item or of both.

    With both, the deviation of a user is taken from what the items leave.
    """
    overall = float(train.values.mean())
    left = train.values - overall
    of_users, of_items = np.zeros(train.n_users), np.zeros(train.n_items)
    if name in ("item means", "user and item means"):
        sums = np.bincount(train.items, weights=left, minlength=train.n_items)
        of_items = damped_means(sums, train.by_item.counts, 0.0)
        left = left - of_items[train.items]
    if name in ("user means", "user and item means"):
        sums = np.bincount(train.users, weights=left, minlength=train.n_users)
        of_users = damped_means(sums, train.by_user.counts, 0.0)
    return lambda users, items: np.asarray(overall + of_users[users] + of_items[items])


def _surprise(name: str, train: Ratings, seed: int) -> Predictor:
    import pandas as pd
    import surprise

    settings = dict(SETTINGS["large" if len(train) >= _LARGE else "small"][name])
    kinds = {"UserKNN": "KNNWithMeans", "ItemKNN": "KNNWithMeans", "NMF": "NMF", "SVD++": "SVDpp"}
    if name in ("NMF", "SVD++"):
        settings["random_state"] = seed
    else:
        settings["verbose"] = False
    frame = pd.DataFrame({"user": train.users, "item": train.items, "rating": train.values})
    reader = surprise.Reader(rating_scale=(train.scale.lowest, train.scale.highest))
    method = getattr(surprise, kinds[name])(**settings)
    method.fit(surprise.Dataset.load_from_df(frame, reader).build_full_trainset())
    return lambda users, items: np.array(
        [method.predict(int(user), int(item)).est for user, item in zip(users, items, strict=True)]
    )
