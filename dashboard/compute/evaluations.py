"""How well a model predicts, as work for a job: held-out ratings, lists of ten, the curve over D, and refits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from dashboard.compute import store
from dashboard.compute.jobs import Job
from nnm_core import FitOptions, Model, fit
from nnm_core.datasets import Dataset, Labels
from nnm_core.evaluation import Curve, Evaluation, Progress, cross_validate, error_curve, random_folds, single_split
from nnm_core.evaluation.peers import MEANS, Peer, available, evaluate_peer
from nnm_core.evaluation.ranking import Ranking, by_model, by_popularity, rank
from nnm_core.evaluation.taste import N_FOLDS, TasteGain, measure_taste_gain
from nnm_core.fitting.progress import Sweep
from nnm_core.interpret.compare import Stability, measure_stability, refits
from nnm_core.interpret.item_chance import ItemChance, measure_item_chance
from nnm_core.interpret.towers import Weighting


class HeldOut(NamedTuple):
    """A fit without a fifth of the ratings, and the simple guess that comes closest to them."""

    evaluation: Evaluation
    simple: Peer


class Lists(NamedTuple):
    """How many of the held-out choices are among the first ten, recommended by the model and by popularity."""

    own: Ranking
    popular: Ranking


class CurveAndPeers(NamedTuple):
    """The error for each number of stereotypes, and the errors of other methods on the same folds."""

    curve: Curve
    peers: tuple[Peer, ...]


def evaluate_held_out(dataset: Dataset, options: FitOptions, seed: int, job: Job) -> HeldOut:
    """Fit without a fifth of the ratings and predict them."""
    ratings, folds = dataset.ratings, single_split(dataset.ratings, 0.2, seed)
    side = store.side_information(dataset, options)
    own = cross_validate(ratings, options, folds, seed=seed, side=side, per_sweep=True, callback=partial(_report, job))
    simple = (evaluate_peer(name, ratings, folds, seed=seed) for name in MEANS)
    return HeldOut(own, min(simple, key=lambda peer: peer.scores.mae))


def evaluate_lists(dataset: Dataset, options: FitOptions, seed: int, job: Job) -> Lists:
    """Fit without a fifth of the choices and look for them in everybody's list of ten."""
    held_out = single_split(dataset.ratings, 0.2, seed)[0]
    train, chosen = dataset.ratings.subset(~held_out), dataset.ratings.subset(held_out)
    model = fit(train, options, seed=seed, callback=job.on_sweep)
    return Lists(rank(by_model(model), train, chosen), rank(by_popularity(train), train, chosen))


def evaluate_curve(
    dataset: Dataset, options: FitOptions, seed: int, dimensions: Sequence[int], n_folds: int, job: Job
) -> CurveAndPeers:
    """Cross-validate every number of stereotypes, and the other methods that are installed, on the same folds."""
    ratings = dataset.ratings
    folds = random_folds(ratings, n_folds, seed) if n_folds > 1 else single_split(ratings, 0.2, seed)
    side = store.side_information(dataset, options)
    curve = error_curve(ratings, dimensions, options, folds, seed=seed, side=side, callback=partial(_report, job))
    peers = []
    for name in available():
        job.report(0.99, f"comparing with {name}")
        peers.append(evaluate_peer(name, ratings, folds, seed=seed))
    return CurveAndPeers(curve, tuple(peers))


def evaluate_taste(dataset: Dataset, options: FitOptions, seed: int, job: Job) -> TasteGain:
    """Measure what taste adds to averages on held-out ratings."""
    n_fits = 2 * N_FOLDS
    begun = 0

    def callback(sweep: Sweep) -> None:
        nonlocal begun
        begun += sweep.number == 1
        job.report((begun - 1 + sweep.share) / n_fits, f"fit {begun} of {n_fits} at most")

    return measure_taste_gain(dataset.ratings, options, seed=seed, callback=callback)


def evaluate_item_chance(dataset: Dataset, model: Model, job: Job) -> ItemChance:
    """Test where the taste for single items is more than chance."""
    begun = 0

    def callback(sweep: Sweep) -> None:
        nonlocal begun
        begun += sweep.number == 1
        job.report((begun - 1 + sweep.share) / 2, f"fit {begun} of 2")

    return measure_item_chance(model, dataset, callback=callback)


def evaluate_stability(
    dataset: Dataset, model: Model, labels: Labels | None, weighting: Weighting, n_fits: int, job: Job
) -> Stability:
    """Fit again from other random starts, with what the model itself was fitted with, and compare."""
    begun = 0

    def callback(sweep: Sweep) -> None:
        nonlocal begun
        begun += sweep.number == 1
        job.report((begun - 1 + sweep.share) / n_fits, f"fit {begun} of {n_fits}")

    side = store.side_information(dataset, model.options)
    models = refits(dataset.ratings, model, n_fits, side=side, callback=callback)
    return measure_stability(models, dataset, labels, weighting=weighting)


def _report(job: Job, progress: Progress) -> None:
    job.report(progress.done / progress.total, f"{progress.done:.0f} of {progress.total:.0f} fits")
