"""Scene: what missing ratings do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.common.current import dataset_of
from dashboard.components.common.display import show_figure
from dashboard.compute import store
from dashboard.figures.learn import fill_figure
from dashboard.learn import ending
from dashboard.learn.parts import NAMES, liked_cinema, match_likes, predict
from nnm_core import FitOptions, fit, preset
from nnm_core.datasets import Dataset, catalogue
from nnm_core.datasets.synthetic import demo
from nnm_core.interpret.compare import TowerComparison, fill_comparison, match_stereotypes, same_order
from nnm_core.types import FloatArray, IntArray

_DATA = {"liked": "Rated only what they like", "cinema": "Rated at random", "bundled": "MovieLens"}
_MOST_TAGS = 10  # that are drawn: more labels would touch
_ZEROS = {"first": "Zeros in two iterations", "always": "Zeros in all iterations"}


def show() -> None:
    """Show the scene."""
    st.markdown(
        "Most people have not rated most films. Leave these out, or count them as **zeros**? The paper argues that "
        "people often skip what they would not like. So its first two iterations count missing ratings as zeros. Later "
        "ones leave them out, but go on from where the first two have put people."
    )
    with st.container(horizontal=True):
        data = link.segments("Data", _DATA, "seen", width="content", label_visibility="collapsed")
        zeros = link.segments("Zeros", _ZEROS, "zeros", width="content", label_visibility="collapsed")
    question = "Thrill seekers dislike romance, and so rate hardly any. Without zeros, does the fit notice?"
    if data == "liked" and not predict("missing", question, ["Yes", "No"], 1, _why()):
        return
    found = comparison(data, zeros == "always")
    told = _describe(found, zeros) if found.truth is None else _compare_with_truth(found, found.truth, data, zeros)
    st.markdown(told)
    names = [f"Stereotype {k + 1}" for k in range(3)] if data == "bundled" else NAMES
    alt = "How likely each stereotype is to like each genre, with zeros for missing ratings and without"
    figure = fill_figure(found.tags, found.with_zeros, found.without, found.truth, names, session.look())
    show_figure(figure, "learn-fill", alt + ("" if found.truth is None else ", beside the truth"))
    ending.show_summary()


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Towers with and without zeros, (n_tags, 3), in the order of ``NAMES`` where these are known.

    ``truth``: what was planted, where that is known; ``comparison``: of the two fits, over all tags.
    """

    tags: tuple[str, ...]
    with_zeros: FloatArray
    without: FloatArray
    truth: FloatArray | None
    comparison: TowerComparison


def comparison(data: str, throughout: bool) -> Bars:
    """Return the towers of a data set with zeros, in two or in all iterations, and without."""
    dataset, options = _dataset(data), preset("paper")
    key = ("learn", "fill", dataset.ratings.content_hash, throughout)
    found = store.derived(key, lambda: fill_comparison(dataset, options, throughout=throughout))
    if data == "bundled":
        rows = _most_frequent(found.tags, dataset)
        tags = tuple(found.tags[row] for row in rows)
        return Bars(tags, found.first[rows], found.second[rows], None, found)
    truth = planted_towers()
    first, second = (bars[:, match_likes(truth, bars)] for bars in (found.first, found.second))
    return Bars(found.tags, first, second, truth, found)


def _most_frequent(tags: Sequence[str], dataset: Dataset) -> IntArray:
    """Return which of the tags have the most items, in their order."""
    counts = np.array([dataset.tags.counts[dataset.tags.names.index(tag)] for tag in tags])
    return np.sort(np.argsort(-counts, kind="stable")[:_MOST_TAGS])


@lru_cache(maxsize=1)
def right_corners() -> tuple[float, float]:
    """Return the share of people nearest to their true corner, where everybody rates only what they like.

    The first number is after two iterations with zeros, the second at the end of a fit without zeros.
    """
    true, ratings = demo().truth.mixtures.argmax(axis=1), liked_cinema().ratings

    def share(options: FitOptions) -> float:
        found = fit(ratings, options).mixtures.argmax(axis=1)
        counts = np.zeros((len(NAMES), len(NAMES)))
        np.add.at(counts, (true, found), 1)
        return float(counts[range(len(NAMES)), match_stereotypes(-counts)].sum()) / len(true)

    paper = preset("paper")
    return share(replace(paper, n_sweeps=paper.fill_sweeps)), share(replace(paper, fill="none"))


def planted_towers() -> FloatArray:
    """Return how likely the planted stereotypes of the invented cinema are to like a film of each genre."""
    member, likes = demo().dataset.tags.member, demo().truth.likes
    counts = np.asarray(member.sum(axis=0)).ravel()
    return np.asarray(member.T @ likes) / counts[:, None]


def _why() -> str:
    with_zeros, without = right_corners()
    return (
        f"It sees high ratings only: nothing tells it what people dislike. Two iterations with zeros put "
        f"{with_zeros:.0%} of people nearest to their true corner. Without zeros, only {without:.0%} end there."
    )


def _describe(found: Bars, zeros: str) -> str:
    shift = float(found.comparison.shifts.mean())
    moved = f"{abs(shift):.2f} {'lower' if shift < 0 else 'higher'} than" if abs(shift) >= 0.005 else "as high as"
    told = (
        "Zeros in all iterations make every genre look disliked, though most films were never seen."
        if zeros == "always"
        else "Real people here: two iterations with zeros change little."
    )
    return (
        f"{told} With zeros (full bars), bars are on average **{moved}** without (pale), and "
        f"**{found.comparison.structure_kept:.0%}** of all pairs of genres keep their order. The truth is not known. "
        f"Drawn are the {len(found.tags)} genres with the most films."
    )


def _compare_with_truth(found: Bars, truth: FloatArray, data: str, zeros: str) -> str:
    place = found.tags.index("Romance"), NAMES.index("thrill seeker")
    full, pale, true = (float(bars[place]) for bars in (found.with_zeros, found.without, truth))
    errors = [float(np.abs(bars - truth).mean()) for bars in (found.with_zeros, found.without)]
    kept = [share_in_order(truth, bars) for bars in (found.with_zeros, found.without)]
    if data == "cinema":
        told = "People rated at random here: a missing rating says nothing, and zeros "
        told += "push every bar down." if zeros == "always" else "in two iterations change nothing."
        told += " Without zeros, bars are as in scenes 4 and 5, and above a truth near 0: 1 star counts as 0.2."
    elif zeros == "always":
        told = "Zeros in all iterations make everything look disliked. Hence the paper's two."
    else:
        place = found.tags.index("Horror"), NAMES.index("parent")
        told = f"Not all is mended: parent and horror stay at {found.with_zeros[place]:.2f} (truth {truth[place]:.2f})."
    return (
        f"Thrill seeker and romance: truth {true:.2f}, fit **{full:.2f}** with zeros, **{pale:.2f}** without. Bars are "
        f"off by {errors[0]:.2f} and {errors[1]:.2f} on average; {kept[0]:.0%} and {kept[1]:.0%} of the pairs of "
        f"genres are in the true order. {told}"
    )


def share_in_order(truth: FloatArray, bars: FloatArray) -> float:
    """Return the share of pairs of tags whose order is that of the truth, over all stereotypes."""
    return float(np.mean([same_order(*columns) for columns in zip(truth.T, bars.T, strict=True)]))


def _dataset(name: str) -> Dataset:
    if name == "bundled":
        return dataset_of(catalogue.BUNDLED).dataset
    return demo().dataset if name == "cinema" else liked_cinema()
