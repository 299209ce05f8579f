"""How well a model predicts, as work for a job: held-out ratings, lists of ten, the curve over D, and refits."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from dashboard.compute import jobs, kept_results, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.cluster import client_for_long_jobs
from nnm_core import FitOptions, Model, fit
from nnm_core.datasets import Dataset, Labels
from nnm_core.evaluation import (
    Curve,
    Evaluation,
    EvaluationProgress,
    cross_validate,
    error_curve,
    random_folds,
    single_split,
)
from nnm_core.evaluation.peers import MEANS, SURPRISE, Peer, evaluate_peer
from nnm_core.evaluation.ranking import Ranking, by_model, by_popularity, rank
from nnm_core.evaluation.taste import N_FOLDS, TasteGain, measure_taste_gain
from nnm_core.fitting.progress import Callback, Sweep
from nnm_core.interpret.compare import Stability, measure_stability, refits
from nnm_core.interpret.item_chance import ItemChance, measure_item_chance
from nnm_core.interpret.towers import Weighting
from nnm_core.types import BoolArray

MANY_RATINGS = 300_000  # from so many ratings on, one fifth is held out once unless somebody asks for more
# As measured: the time of a fit grows with D to this power if it runs until it has converged; an iteration takes
# this much plus D to that power
_GROWTH, _BASE, _GROWTH_OF_ITERATION = 1.3, 2.0, 1.2
_EXPECTATION = 0.2  # the time that work was expected to take counts as much as this share of the work


class Reporting(Protocol):
    """Somebody who wants to know how far the work is; a job, or the progress bar of the shell."""

    def report(self, share: float, step: str) -> None:
        """Take note of the share that is done, from 0 to 1."""


class HeldOut(NamedTuple):
    """A cross-validation, its first fold with scores after every iteration, and simple guesses on the same folds."""

    evaluation: Evaluation
    means: tuple[Peer, ...]


class Lists(NamedTuple):
    """How many of the held-out choices are among the first ten, recommended by the model and by popularity."""

    own: Ranking
    popular: Ranking


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Ratings to hold out and fits to predict them: what the held-out result and all points of a curve share.

    ``options`` are those of the model that is shown, but with a single start: several would take as many times longer.
    """

    dataset: Dataset
    options: FitOptions
    seed: int
    n_folds: int

    @classmethod
    def of(cls, dataset: Dataset, model: Model, n_folds: int = 0) -> Experiment:
        """Return the experiment about a model; without a number of folds, with that for so many ratings."""
        n_folds = n_folds or (1 if len(dataset.ratings) >= MANY_RATINGS else 5)
        return cls(dataset, replace(model.options, starts=1), model.seed, n_folds)

    @property
    def folds(self) -> list[BoolArray]:
        """Masks of the ratings that are held out."""
        ratings = self.dataset.ratings
        if self.n_folds == 1:
            return single_split(ratings, 0.2, self.seed)
        return random_folds(ratings, self.n_folds, self.seed)

    def key(self, kind: str, n_stereotypes: int | None = None) -> tuple[Hashable, ...]:
        """Return the key of a result of this kind; without a number of stereotypes, one that all of them share."""
        options = replace(self.options, n_stereotypes=n_stereotypes or 1)
        return (kind, *store.model_key(self.dataset, options, self.seed), self.n_folds)

    def known(self, dimensions: Sequence[int]) -> Curve:
        """Return the points of the curve that are there already."""
        kept_results.recall([self.key("point", n) for n in dimensions])
        found = {n: kept.get("results", self.key("point", n)) for n in sorted(dimensions)}
        return Curve({n: point for n, point in found.items() if point is not None})

    def keep(self, worker: object, n_stereotypes: int, point: Evaluation) -> None:
        """Keep a point of the curve, whatever becomes of the rest."""
        kept_results.keep(self.key("point", n_stereotypes), self.dataset, point, worker)

    @property
    def held_out(self) -> HeldOut | None:
        """The prediction of held-out ratings by the model that is shown, if it was made."""
        found = kept_results.find(self.key("held out", self.options.n_stereotypes))
        return None if found is None else HeldOut(*found)

    def expected_seconds(self, dimensions: Sequence[int]) -> float:
        """Return about how long the cross-validations take: by those before, else by the fit that is shown."""
        pace = kept.get("results", self.key("pace"))
        if pace is None:
            # A fold sees fewer ratings than the fit that is shown, but has to be predicted too
            shown = kept.get("results", ("seconds", store.model_key(self.dataset, self.options, self.seed)))
            pace = 1.0 if shown is None else shown / self._cost(self.options.n_stereotypes)
        return float(pace * self.n_folds * sum(map(self._cost, dimensions)))

    def note_pace(self, worker: object, seconds: float, dimensions: Sequence[int]) -> None:
        """Note how long the cross-validations of these numbers of stereotypes took together."""
        pace = seconds / (self.n_folds * sum(map(self._cost, dimensions)))
        jobs.keep_from(worker, self.key("pace"), pace)

    def share_done(self, progress: EvaluationProgress, dimensions: Sequence[int], expected: float) -> float:
        """Return which part of the time of a curve is over: fits with more stereotypes take longer.

        What it took so far says little at first, so the ``expected`` seconds count as well.
        """
        costs = np.cumsum([0.0, *map(self._cost, dimensions)])
        done = float(np.interp(progress.done / self.n_folds, np.arange(len(costs)), costs) / costs[-1])
        in_all = (progress.seconds + _EXPECTATION * expected) / (done + _EXPECTATION)
        return progress.seconds / max(progress.seconds + (1.0 - done) * in_all, 1e-9)

    def _cost(self, n_stereotypes: int) -> float:
        """Return about how many seconds a fit takes: more of them need more time, and more iterations to converge."""
        here, options = self.options.n_stereotypes, self.options
        if options.method == "distilled":
            ratio = 1.0
        elif options.tol > 0:
            ratio = (n_stereotypes / here) ** _GROWTH
        else:
            ratio = (_BASE + n_stereotypes**_GROWTH_OF_ITERATION) / (_BASE + here**_GROWTH_OF_ITERATION)
        return ratio * store.expected_seconds(self.dataset, options)


def evaluate_held_out(experiment: Experiment, job: Reporting) -> HeldOut:
    """Predict the ratings that each fold holds out, and keep the result as a point of the curve."""
    dataset, options, folds, seed = experiment.dataset, experiment.options, experiment.folds, experiment.seed
    side, began = store.side_information(dataset, options), time.monotonic()

    def evaluate(part: slice, *, per_sweep: bool) -> Evaluation:
        def report(progress: EvaluationProgress) -> None:
            done = part.start + progress.done
            job.report(done / len(folds), f"{done:.0f} of {len(folds)} fits")

        client = client_for_long_jobs()
        more = {"seed": seed + part.start, "side": side, "per_sweep": per_sweep, "callback": report, "client": client}
        return cross_validate(dataset.ratings, options, folds[part], **more)

    own = evaluate(slice(0, 1), per_sweep=True)  # which takes half as long again
    share, after_first = 1.5, time.monotonic()
    if len(folds) > 1:
        own = replace(own, folds=own.folds + evaluate(slice(1, None), per_sweep=False).folds)
        share, began = 1.0 - 1.0 / len(folds), after_first
    experiment.note_pace(job, (time.monotonic() - began) / share, [options.n_stereotypes])
    experiment.keep(job, options.n_stereotypes, own)
    found = HeldOut(own, tuple(evaluate_peer(name, dataset.ratings, folds, seed=seed) for name in MEANS))
    kept_results.keep(experiment.key("held out", options.n_stereotypes), dataset, found, job)
    return found


def evaluate_curve(experiment: Experiment, dimensions: Sequence[int], job: Reporting) -> Curve:
    """Cross-validate every number of stereotypes that is not known yet; keep each point as soon as it is there."""
    if experiment.held_out is None:
        evaluate_held_out(experiment, job)
    known = experiment.known(dimensions)
    missing = [n for n in sorted(dimensions) if n not in known.evaluations]
    began, expected = time.monotonic(), experiment.expected_seconds(missing)

    def report(progress: EvaluationProgress) -> None:
        share = experiment.share_done(progress, missing, expected)
        job.report(share, f"{progress.done:.0f} of {progress.total:.0f} fits")

    curve = error_curve(
        experiment.dataset.ratings,
        dimensions,
        experiment.options,
        experiment.folds,
        seed=experiment.seed,
        side=store.side_information(experiment.dataset, experiment.options),
        known=known,
        callback=report,
        on_point=partial(experiment.keep, job),
        client=client_for_long_jobs(),
    )
    if missing:
        experiment.note_pace(job, time.monotonic() - began, missing)
    return curve


def evaluate_peers(experiment: Experiment, job: Reporting) -> tuple[Peer, ...]:
    """Evaluate the methods of scikit-surprise on the same folds, which takes minutes."""
    ratings, folds, found = experiment.dataset.ratings, experiment.folds, []
    for place, name in enumerate(SURPRISE):
        job.report(place / len(SURPRISE), name)
        found.append(evaluate_peer(name, ratings, folds, seed=experiment.seed))
    return tuple(found)


def evaluate_lists(dataset: Dataset, options: FitOptions, seed: int, job: Reporting) -> Lists:
    """Fit without a fifth of the choices and look for them in everybody's list of ten."""
    held_out = single_split(dataset.ratings, 0.2, seed)[0]
    train, chosen = dataset.ratings.subset(~held_out), dataset.ratings.subset(held_out)
    model = fit(train, options, seed=seed, callback=lambda one: job.report(one.share, f"iteration {one.number}"))
    return Lists(rank(by_model(model), train, chosen), rank(by_popularity(train), train, chosen))


def evaluate_taste(dataset: Dataset, options: FitOptions, job: Reporting) -> TasteGain:
    """Measure what taste adds to averages on held-out ratings."""
    return measure_taste_gain(dataset.ratings, options, callback=_count_fits(job, N_FOLDS, " at most"))


def evaluate_item_chance(dataset: Dataset, model: Model, job: Reporting) -> ItemChance:
    """Test where the taste for single items is more than chance."""
    return measure_item_chance(model, dataset, callback=_count_fits(job, 2))


def evaluate_stability(
    dataset: Dataset, model: Model, labels: Labels | None, weighting: Weighting, n_fits: int, job: Reporting
) -> Stability:
    """Fit again from other random starts, with what the model itself was fitted with, and compare."""
    side, client = store.side_information(dataset, model.options), client_for_long_jobs()

    def report(sweep: Sweep) -> None:
        job.report(sweep.share, f"{sweep.share * n_fits:.0f} of {n_fits} fits")

    models = refits(dataset.ratings, model, n_fits, side=side, callback=report, client=client)
    return measure_stability(models, dataset, labels, weighting=weighting)


def _count_fits(job: Reporting, n_fits: int, more: str = "") -> Callback:
    """Return the callback of fits that follow each other, which reports how many have begun."""
    begun = 0

    def callback(sweep: Sweep) -> None:
        nonlocal begun
        begun += sweep.number == 1
        job.report((begun - 1 + sweep.share) / n_fits, f"fit {begun} of {n_fits}{more}")

    return callback
