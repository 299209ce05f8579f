"""Data sets whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from nnm_core import FitOptions, Model, Ratings, Scale, fit
from nnm_core.datasets import Dataset, Labels

LOW, HIGH = 0.25, 0.95

LIKED_BY = {"Noir": (0,), "Kids": (1,), "Broad": (0, 1), "Hated": (), "Loved": (0, 1, 2)}
"""Which stereotypes like the items of each planted tag."""

TRAIT = {"young": (0.9, 0.1, 0.5), "old": (0.1, 0.9, 0.5)}
"""P[value | stereotype]."""


@dataclass(frozen=True)
class Planted:
    """A data set, the model that was fitted to it, and which column of it is which planted stereotype."""

    dataset: Dataset
    model: Model
    mixtures: np.ndarray
    likes: np.ndarray
    columns: np.ndarray


def plant(seed: int = 0, n_users: int = 400, per_tag: int = 30, density: float = 0.4) -> Planted:
    """Three stereotypes, five tags and one more, "Dice", that is attached at random; a trait of two values."""
    rng = np.random.default_rng(seed)
    names = (*LIKED_BY, "Dice")
    n_items = per_tag * len(LIKED_BY)
    mean = np.full((len(LIKED_BY), 3), LOW)
    for row, liked_by in enumerate(LIKED_BY.values()):
        mean[row, list(liked_by)] = HIGH
    likes = np.clip(np.repeat(mean, per_tag, axis=0) + rng.normal(0, 0.05, (n_items, 3)), 0.2, 1.0)
    mixtures = rng.dirichlet([0.25, 0.2, 0.15], n_users)
    dice = np.flatnonzero(rng.random(n_items) < 0.3)
    rows = np.concatenate([np.arange(n_items), dice])
    columns = np.concatenate([np.repeat(np.arange(len(LIKED_BY)), per_tag), np.full(len(dice), len(LIKED_BY))])
    kind = np.array([rng.choice(3, p=mixture) for mixture in mixtures])
    is_young = rng.random(n_users) < np.array(TRAIT["young"])[kind]
    dataset = Dataset(
        "planted",
        draw_ratings(mixtures, likes, density, rng),
        tuple(f"Film {k}" for k in range(n_items)),
        Labels.from_pairs(rows, columns, names, n_items),
        {"age": Labels.from_pairs(np.arange(n_users), (~is_young).astype(int), TRAIT, n_users)},
    )
    model = fit(dataset.ratings, FitOptions(n_stereotypes=3, fill="none", n_sweeps=60), seed=1)
    return Planted(dataset, model, mixtures, likes, matched_columns(likes, model))


def draw_ratings(mixtures: np.ndarray, likes: np.ndarray, density: float, rng: np.random.Generator) -> Ratings:
    scale = Scale(1, 5)
    users, items = np.nonzero(rng.random((len(mixtures), len(likes))) < density)
    unit = (mixtures[users] * likes[items]).sum(axis=1) + rng.normal(0, 0.05, len(users))
    names = [str(k) for k in range(max(len(mixtures), len(likes)))]
    values = scale.round(scale.from_unit(unit))
    return Ratings.from_numbers(users, items, values, names[: len(mixtures)], names[: len(likes)], scale=scale)


def matched_columns(likes: np.ndarray, model: Model) -> np.ndarray:
    """For each planted stereotype, the column of the model that found it."""
    found = model.likes[:, : model.n_stereotypes]
    return linear_sum_assignment(np.abs(likes[:, :, None] - found[:, None, :]).mean(axis=0))[1]


def with_tags(dataset: Dataset, names: tuple[str, ...], seed: int = 0) -> Dataset:
    """The data set with these tags, each attached to a random quarter of the items, and to at least one."""
    rng = np.random.default_rng(seed)
    member = rng.random((dataset.ratings.n_items, len(names))) < 0.25
    member[0] = True
    rows, columns = np.nonzero(member)
    tags = Labels.from_pairs(rows, columns, names, dataset.ratings.n_items)
    return Dataset(dataset.name, dataset.ratings, dataset.titles, tags, dataset.traits)


def above_average(ratings: Ratings) -> np.ndarray:
    """Every rating less its item's damped mean, less the person's mean of that, by pandas; on a scale up to 1."""
    frame = pd.DataFrame({"user": ratings.users, "item": ratings.items, "unit": ratings.scale.to_unit(ratings.values)})
    of_item = frame.groupby("item")["unit"]
    mean = (of_item.transform("sum") + 5 * frame["unit"].mean()) / (of_item.transform("size") + 5)
    frame["above"] = frame["unit"] - mean
    return (frame["above"] - frame.groupby("user")["above"].transform("mean")).to_numpy()
