"""How the shares of the stereotypes moved over the years, where it is known when ratings were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtri

from nnm_core.datasets.dataset import Dataset
from nnm_core.datasets.times import NO_DAY
from nnm_core.interpret.audience import check_same_rows
from nnm_core.interpret.towers import CHANCE
from nnm_core.model import Model
from nnm_core.phrases import listed, percent, quoted_name
from nnm_core.types import BoolArray, FloatArray, IntArray

Unit = Literal["year", "quarter"]
MIN_PEOPLE = 20  # who rated in a period, below which it is left out
_FORMS: dict[Unit, tuple[str, str]] = {"year": ("Y", "%Y"), "quarter": ("Q", "Q%q %Y")}  # as pandas names and writes it
_LONG = 3 * 365  # days from which on years are compared, and quarters of a year else
_MOST_NAMED = 2


@dataclass(frozen=True, slots=True, eq=False)
class SharesOverTime:
    """The mean mixture of the people who rated in each period, everybody counting once in it.

    ``periods``: "2001", or "Q3 2001"; those with too few people are left out. ``starts``: their first days,
    as in "2001-07-01". ``n_people`` (n_periods,).
    ``shares`` (n_periods, n_stereotypes): of the people who rated then, without the enthusiast and the skeptic.
    ``errors``: the standard error of each. ``trends`` (n_stereotypes,): the slope of a line through the shares, in
    standard deviations of what it would be if the same mixtures belonged to other people at random.
    """

    unit: Unit
    periods: tuple[str, ...]
    starts: tuple[str, ...]
    n_people: IntArray
    shares: FloatArray
    errors: FloatArray
    trends: FloatArray

    @property
    def moved(self) -> BoolArray:
        """Which stereotypes grew or shrank by more than chance, (n_stereotypes,)."""
        return np.asarray(np.abs(self.trends) > -ndtri(CHANCE / 2 / max(len(self.trends), 1)))

    def in_words(self, names: Sequence[str]) -> str:
        """Say which shares moved most by more than chance; empty where none did."""
        change = self.shares[-1] - self.shares[0]
        told = self.moved & (np.sign(change) == np.sign(self.trends))
        order = [k for k in np.argsort(-np.abs(change), kind="stable").tolist() if told[k]][:_MOST_NAMED]
        if not order:
            return ""
        parts = [
            f"{quoted_name(names[k])} {'grew' if change[k] > 0 else 'shrank'} from {percent(self.shares[0, k])} to "
            f"{percent(self.shares[-1, k])}"
            for k in order
        ]
        return f"From {self.periods[0]} to {self.periods[-1]}, {listed(parts)} of the people who rated."


def shares_over_time(model: Model, dataset: Dataset) -> SharesOverTime | None:
    """Return how the shares of the stereotypes moved over years, or quarters where the data span less than three years.

    A person has one mixture for all times: shares move because other people rate. None where it is not known when
    ratings were given, or all were given in one period.

    >>> shares_over_time(model, dataset) is None
    True
    """
    check_same_rows(model, dataset.ratings)
    days = dataset.days
    if days is None or (days == NO_DAY).all():
        return None
    known = days != NO_DAY
    unit: Unit = "year" if np.ptp(days[known]) >= _LONG else "quarter"
    frequency, form = _FORMS[unit]
    dates = days[known].astype("datetime64[D]").astype("datetime64[s]")
    periods = pd.PeriodIndex(dates, freq=frequency).astype("int64").to_numpy()
    first, n_periods = int(periods.min()), int(np.ptp(periods)) + 1
    rated = np.zeros((model.n_users, n_periods), dtype=np.bool_)
    rated[dataset.ratings.users[known], periods - first] = True
    kept = np.flatnonzero(rated.sum(axis=0) >= MIN_PEOPLE)
    if len(kept) < 2:
        return None
    here = rated[:, kept].any(axis=1)
    counted, mixtures = rated[here][:, kept].astype(np.float64), model.mixtures[here, : model.n_stereotypes]
    n_people = counted.sum(axis=0)
    kept_periods = pd.period_range(pd.Period(ordinal=first, freq=frequency), periods=n_periods)[kept]
    means = counted.T @ mixtures / n_people[:, None]
    variances = np.maximum(counted.T @ mixtures**2 / n_people[:, None] - means**2, 0.0)
    return SharesOverTime(
        unit=unit,
        periods=tuple(kept_periods.strftime(form)),
        starts=tuple(kept_periods.start_time.strftime("%Y-%m-%d")),
        n_people=n_people.astype(np.int64),
        shares=means,
        errors=np.sqrt(variances / (n_people[:, None] - 1)),
        trends=_trends(counted, mixtures, kept.astype(np.float64)),
    )


def joined(dataset: Dataset) -> IntArray | None:
    """Return the day of each person's first rating, (n_users,), ``NO_DAY`` where no time is known; None without times.

    >>> joined(dataset) is None
    True
    """
    if dataset.days is None:
        return None
    latest, by_user = np.iinfo(np.int32).max, dataset.ratings.by_user
    has_rated = by_user.counts > 0
    days = np.where(dataset.days == NO_DAY, latest, dataset.days)
    first = np.full(by_user.n_rows, latest, dtype=np.int32)
    first[has_rated] = np.minimum.reduceat(days, by_user.starts[:-1][has_rated])
    first[first == latest] = NO_DAY
    return first


def dates_to_split_at(first_days: IntArray, fewest: int) -> tuple[str, ...]:
    """Return dates before and since which at least so many people joined: first days of years, or else of months.

    Years are offered where people joined over three years or more. A date is written as in "2000-01-01".

    >>> dates_to_split_at(np.array([10950, 10951, 10990, 10991]), 2)
    ('2000-01-01', '2000-02-01')
    """
    known = np.sort(first_days[first_days != NO_DAY])
    if len(known) < 2 * fewest:
        return ()
    step = "Y" if known[-1] - known[0] >= _LONG else "M"
    ends = known[[0, -1]].astype("datetime64[D]").astype(f"datetime64[{step}]")
    dates = np.arange(ends[0] + 1, ends[1] + 1).astype("datetime64[D]")
    before = np.searchsorted(known, dates.astype(np.int64))
    return tuple(dates[(before >= fewest) & (len(known) - before >= fewest)].astype(str).tolist())


def _trends(counted: FloatArray, mixtures: FloatArray, times: FloatArray) -> FloatArray:
    """Return the slope of each share over time in standard deviations over all ways to give mixtures to people.

    The slope is a sum over people of their share times a weight w. If mixtures are dealt out at random, its mean is 0,
    as Σ w = 0, and its variance Σ w² Σ (p - mean p)² / (n - 1).
    """
    centre = (counted.sum(axis=0) @ times) / counted.sum()
    weights = counted @ (times - centre)
    spread = np.sqrt((weights @ weights) * mixtures.var(axis=0) * len(mixtures) / max(len(mixtures) - 1, 1))
    slopes = weights @ mixtures
    return np.asarray(np.divide(slopes, spread, out=np.zeros_like(slopes), where=spread > 1e-12))
