"""Compute the paper's numbers and figures again from the MovieLens data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nnm_core.datasets import Dataset, load_dataset
from nnm_core.errors import DataError, InputError, ModelFileError
from nnm_core.evaluation.cross_validation import Evaluation, cross_validate
from nnm_core.evaluation.curve import Curve, error_curve
from nnm_core.evaluation.folds import random_folds
from nnm_core.evaluation.peers import SURPRISE, Peer, available, evaluate_peer
from nnm_core.evaluation.scores import Scores
from nnm_core.fitting.fit_model import fit
from nnm_core.interpret import tag_vectors
from nnm_core.interpret.hierarchy import Order, tag_hierarchy
from nnm_core.options import preset
from nnm_core.types import BoolArray, FloatArray

PAPER_TABLE = {
    "ml-100k": {
        "UserKNN": (0.737, 0.944),
        "ItemKNN": (0.723, 0.924),
        "NMF": (0.747, 0.949),
        "SVD++": (0.719, 0.912),
        "NNM": (0.699, 0.984),
    },
    "ml-1m": {
        "UserKNN": (0.703, 0.905),
        "ItemKNN": (0.688, 0.876),
        "NMF": (0.727, 0.920),
        "SVD++": (0.668, 0.851),
        "NNM": (0.643, 0.920),
    },
}
"""MAE and RMSE as printed in the paper."""

DIMENSION = {"ml-100k": 3, "ml-1m": 8}
LEFT_OUT = ("Film-Noir", "War")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """What is computed for one data set."""

    name: str
    n_ratings: int
    n_folds: int
    model: Evaluation
    peers: tuple[Peer, ...]
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """What the paper draws from MovieLens 1M: genre profiles (n_tags, D) at D = 2 and 3, the hierarchy at ε = 1/3."""

    tags: tuple[str, ...]
    profiles: tuple[FloatArray, ...]
    hierarchy: Order
    everywhere: tuple[str, ...]


Say = Callable[[str], None]
"""Called with one line whenever a part is done."""

SLOW = (("ml-1m", "SVD++"),)
"""Peers that take a quarter of an hour and more."""

_MANY_RATINGS = 300_000
"""From so many ratings on, peers see the first fold alone."""


def reproduce(
    folder: Path,
    output: Path,
    *,
    n_folds: int = 5,
    peers: Sequence[str] = SURPRISE,
    slow: bool = False,
    seed: int = 0,
    say: Say,
) -> Path:
    """Compute the paper's figures and write a report with pictures.

    Parameters
    ----------
    folder
        Holds ml-100k, ml-1m or both.
    output
        The Markdown file to write; pictures go into the folder ``images`` beside it.
    n_folds
        How many of five folds are run; peers see only the first on MovieLens 1M.
    slow
        Run SVD++ on MovieLens 1M too.

    Raises
    ------
    DataError
        If there is no data set.
    InputError
        If a peer is not known.
    """
    found = [name for name in PAPER_TABLE if (folder / name).exists()]
    if not found:
        raise DataError(f"Neither ml-100k nor ml-1m is in {folder}; put the folders of MovieLens 100K and 1M there.")
    for peer in set(peers) - set(SURPRISE):
        raise InputError(f"There is no peer {peer!r}; choose from {', '.join(SURPRISE)}.")
    if not output.parent.is_dir():
        raise ModelFileError(f"The folder {output.parent} does not exist; make it, or choose another place.")
    studies, pictures = [], None
    for name in found:
        dataset, _ = load_dataset(folder / name)
        here = [peer for peer in peers if peer in available() and (slow or (name, peer) not in SLOW)]
        studies.append(_study(name, dataset, n_folds, here, seed, say))
        if name == "ml-1m":
            pictures = _pictures(dataset, seed)
            say("genre profiles and hierarchy")
    from nnm_core.evaluation.reproduction_report import write_report  # needs matplotlib, which only this command does

    return write_report(studies, pictures, output)


def _study(name: str, dataset: Dataset, n_folds: int, peers: Sequence[str], seed: int, say: Say) -> Study:
    ratings = dataset.ratings
    folds: list[BoolArray] = random_folds(ratings, 5, seed)[:n_folds]
    options = preset("paper", n_stereotypes=DIMENSION[name])
    model = cross_validate(ratings, options, folds, seed=seed, per_sweep=True)
    say(f"{name}: NNM, {_short(model.scores)}")
    curve = error_curve(ratings, range(1, 11), options, folds, seed=seed)
    say(f"{name}: error against D")
    done, for_peers = [], folds if len(ratings) < _MANY_RATINGS else folds[:1]
    for peer in peers:
        done.append(evaluate_peer(peer, ratings, for_peers, seed=seed))
        say(f"{name}: {peer}, {_short(done[-1].scores)}, {done[-1].seconds_fit:.1f} s a fit")
    return Study(name, len(ratings), len(folds), model, tuple(done), curve)


def _pictures(dataset: Dataset, seed: int) -> Pictures:
    profiles = tuple(
        tag_vectors(fit(dataset.ratings, preset("paper", n_stereotypes=n), seed=seed), dataset.tags) for n in (2, 3)
    )
    whole = tag_hierarchy(fit(dataset.ratings, preset("paper", n_stereotypes=8), seed=seed), dataset.tags)
    order = whole.at(1 / 3)
    n_tags = len(order.tags)
    everywhere = tuple(tag for row, tag in enumerate(order.tags) if order.includes[row].sum() == n_tags - 1)
    return Pictures(dataset.tags.names, profiles, whole.without(LEFT_OUT).at(1 / 3), everywhere)


def _short(scores: Scores) -> str:
    return f"MAE {scores.mae:.3f}, RMSE {scores.rmse:.3f}; rounded {scores.mae_rounded:.3f}, {scores.rmse_rounded:.3f}"
