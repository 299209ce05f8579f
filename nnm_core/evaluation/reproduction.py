"""Compute the paper's numbers and figures again from MovieLens, and write a report: Markdown with pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from nnm_core.datasets import Dataset, load_dataset
from nnm_core.errors import DataError, InputError, ModelFileError
from nnm_core.evaluation.cross_validation import Curve, Evaluation, cross_validate, error_curve
from nnm_core.evaluation.folds import Scores, random_folds
from nnm_core.evaluation.peers import SURPRISE, Peer, available, evaluate_peer
from nnm_core.fitting.fit_model import fit
from nnm_core.interpret import tag_vectors
from nnm_core.interpret.compare import match_stereotypes, stereotype_distances
from nnm_core.interpret.hierarchy import Order, tag_hierarchy
from nnm_core.options import preset
from nnm_core.types import FloatArray

try:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise InputError("The report draws with matplotlib: pip install 'nnm-explorer[reproduce]'.") from error

_METHODS = (*SURPRISE, "NNM")
PAPER_TABLE = {  # MAE and RMSE of these methods as printed in the paper
    "ml-100k": ((0.737, 0.944), (0.723, 0.924), (0.747, 0.949), (0.719, 0.912), (0.699, 0.984)),
    "ml-1m": ((0.703, 0.905), (0.688, 0.876), (0.727, 0.920), (0.668, 0.851), (0.643, 0.920)),
}
DIMENSION = {"ml-100k": 3, "ml-1m": 8}
LEFT_OUT = ("Film-Noir", "War")
CONVERGED = preset("paper", n_sweeps=600, tol=1e-4, momentum=True)
"""The paper's model, run until it has stopped moving."""
_STARTS = 8  # of the converged models that are described
_SLOW = (("ml-1m", "SVD++"),)  # takes a quarter of an hour and more
_MANY_RATINGS = 300_000  # from so many ratings on, peers see the first fold alone
_COLORS = ("#0072b2", "#d55e00", "#009e73")

Say = Callable[[str], None]
"""Called with one line whenever a part is done."""


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """What is computed for one data set; ``curve`` and ``converged`` hold the errors of every D."""

    name: str
    model: Evaluation
    peers: tuple[Peer, ...]
    curve: Curve
    converged: Curve


@dataclass(frozen=True, slots=True, eq=False)
class _Pictures:
    """What the paper draws from MovieLens 1M: genre profiles at D = 2 and 3, the hierarchy at ε = 1/3.

    ``profiles``: by D, the bars (n_tags, n_stereotypes) after the paper's iterations and of the converged model, with
    the stereotypes matched. ``hierarchies`` and ``everywhere``, after the paper's iterations and converged: the drawn
    orders, and which tags include all others. ``found_by``: by D, how many starts ended in the converged model.
    """

    tags: tuple[str, ...]
    profiles: dict[int, tuple[FloatArray, FloatArray]]
    hierarchies: tuple[Order, Order]
    everywhere: tuple[tuple[str, ...], tuple[str, ...]]
    found_by: dict[int, int]


def reproduce(
    folder: Path, output: Path, *, n_folds: int = 5, peers: Sequence[str] = SURPRISE, slow: bool = False, say: Say
) -> Path:
    """Compute the paper's figures from ml-100k and ml-1m in ``folder`` and write the report ``output``.

    Pictures go into the folder ``images`` beside it. Of five folds ``n_folds`` are run; on MovieLens 1M, peers see only
    the first, and SVD++ runs only if ``slow``.
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
        here = [peer for peer in peers if peer in available() and (slow or (name, peer) not in _SLOW)]
        studies.append(_study(name, dataset, n_folds, here, say))
        if name == "ml-1m":
            pictures = _pictures(dataset)
            say("genre profiles and hierarchy")
    return _write_report(studies, pictures, output)


def _study(name: str, dataset: Dataset, n_folds: int, peers: Sequence[str], say: Say) -> _Study:
    ratings = dataset.ratings
    folds = random_folds(ratings, 5)[:n_folds]
    options = preset("paper", n_stereotypes=DIMENSION[name])
    model = cross_validate(ratings, options, folds, per_sweep=True)
    say(f"{name}: NNM, {_short(model.scores)}")
    curve, converged = (error_curve(ratings, range(1, 11), one, folds) for one in (options, CONVERGED))
    say(f"{name}: error against D")
    done, for_peers = [], folds if len(ratings) < _MANY_RATINGS else folds[:1]
    for peer in peers:
        done.append(evaluate_peer(peer, ratings, for_peers))
        say(f"{name}: {peer}, {_short(done[-1].scores)}, {done[-1].seconds_fit:.1f} s a fit")
    return _Study(name, model, tuple(done), curve, converged)


def _short(scores: Scores) -> str:
    return f"MAE {scores.mae:.3f}, RMSE {scores.rmse:.3f}; rounded {scores.mae_rounded:.3f}, {scores.rmse_rounded:.3f}"


def _pictures(dataset: Dataset) -> _Pictures:
    """Fit the models that the paper describes, with its 16 iterations and until they have converged."""
    ratings, profiles, found_by = dataset.ratings, {}, {}
    orders, everywhere = [], []
    for n_stereotypes in (2, 3, 8):
        early = fit(ratings, preset("paper", n_stereotypes=n_stereotypes))
        late = fit(ratings, replace(CONVERGED, n_stereotypes=n_stereotypes), starts=_STARTS)
        found_by[n_stereotypes] = late.atlas.n_best if late.atlas else 1
        matches = match_stereotypes(stereotype_distances(early, late, ratings))
        profiles[n_stereotypes] = tag_vectors(early, dataset.tags), tag_vectors(late, dataset.tags)[:, matches]
    for model in (early, late):  # of D = 8
        hierarchy = tag_hierarchy(model, dataset.tags)
        order = hierarchy.at(1 / 3)
        everywhere.append(tuple(tag for tag in order.tags if len(order.included(tag)) == len(order.tags) - 1))
        orders.append(hierarchy.without(LEFT_OUT).at(1 / 3))
    return _Pictures(dataset.tags.names, profiles, (orders[0], orders[1]), (everywhere[0], everywhere[1]), found_by)


def _write_report(studies: Sequence[_Study], pictures: _Pictures | None, output: Path) -> Path:
    images = output.parent / "images"
    images.mkdir(exist_ok=True)
    parts = [_INTRODUCTION, *(_table(study) for study in studies), _ROUNDING]
    for study in studies:
        _draw_curve(study, images / f"{study.name}-curve.png")
        _draw_sweeps(study, images / f"{study.name}-sweeps.png")
        parts.append(_curves(study))
    if pictures is not None:
        _draw_profiles(pictures, images / "profiles.png")
        for order, name in zip(pictures.hierarchies, ("hierarchy", "hierarchy-converged"), strict=True):
            _draw_hierarchy(order, images / f"{name}.png")
        parts.append(_meaning(pictures))
    output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return output


_INTRODUCTION = """# The paper's numbers and figures, computed again

Written by `nnm reproduce`. The paper is C. J. Stark, *Expressive recommender systems through normalized nonnegative
models* (2015). Every figure below was computed from the data by this program; the paper's own stand beside ours.
NNM is the preset `paper`: Algorithm 1 with 16 iterations, 2 of them filled, and nothing else. These fits stop early:
beside them stands the same model, run until it has converged ([fitting.md](fitting.md) has the rule). Peers are those
of scikit-surprise (the paper used LibRec), with the paper's settings as near as the library allows;
`nnm_core/evaluation/peers.py` says where it differs."""

_ROUNDING = """## Raw and rounded

A prediction such as 3.7 can be scored as it is or rounded to a whole star first. Rounding lowers the mean absolute
error and raises the root mean squared error, for every method in these tables: most ratings lie near what is
expected, so rounding hits many of them exactly, and misses the others by more. The paper's figures for NNM agree with
ours for *rounded* predictions, in both measures and on both data sets, and are far from ours for raw ones; its
figures for the other methods are near what raw predictions give. So its table compares rounded with raw predictions,
which makes both the lead of NNM in MAE and its lag in RMSE look larger than they are. Compare like with like: our two
pairs of columns."""

_READING = """## What follows for the paper's reading of its figures

After 16 iterations the model is still moving. What the paper says of the *kinds* of stereotypes holds for the converged
model too, and from every seed that we tried: an open one and a skeptical one that makes an exception for Film-Noir and
Documentary, joined at D = 3 by one with a taste for Action, Adventure, Children's and Fantasy. The *heights* of bars do
not carry over: they differ between 16 iterations and the end, and after 16 iterations also from seed to seed. At D = 3
the lover of Action likes most genres after 16 iterations and few of them in the converged model. So what is read off
heights against a fixed bound should not be relied on, above all which genres include every other one at ε = 1/3.
`benchmarks/paper_claims.py` counts both over 12 seeds; [meaning.md](meaning.md) has the table."""


def _table(study: _Study) -> str:
    n_folds = len(study.model.folds)
    folds = "5 random folds" if n_folds == 5 else f"{n_folds} of 5 random folds"
    if any(len(peer.folds) < n_folds for peer in study.peers):
        folds += " (the peers on the first of them)"
    lines = [
        f"## {study.name}: predictive power\n",
        f"{study.model.n_ratings:,} ratings, {folds}, NNM with D = {DIMENSION[study.name]}.\n",
        "| | paper: MAE | RMSE | ours, raw: MAE | RMSE | ours, rounded: MAE | RMSE |",
        "|---|---|---|---|---|---|---|",
    ]
    converged = study.converged.evaluations[DIMENSION[study.name]]
    found: dict[str, Evaluation | Peer] = {"NNM": study.model, **{peer.name: peer for peer in study.peers}}
    for name, (mae, rmse) in zip(_METHODS, PAPER_TABLE[study.name], strict=True):
        ours = _cells(found[name]) if name in found else "not run | | | "
        lines.append(f"| {name} | {mae:.3f} | {rmse:.3f} | {ours} |")
    lines.append(f"| NNM, converged | | | {_cells(converged)} |")
    return "\n".join(lines)


def _cells(found: Evaluation | Peer) -> str:
    s = found.scores
    return f"{s.mae:.3f} | {s.rmse:.3f} | {s.mae_rounded:.3f} | {s.rmse_rounded:.3f}"


def _curves(study: _Study) -> str:
    rows = [
        f"| {n} | {early.scores.mae:.4f} | {early.scores.mae_rounded:.4f} "
        f"| {late.scores.mae:.4f} | {late.scores.mae_rounded:.4f} |"
        for (n, early), late in zip(study.curve.evaluations.items(), study.converged.evaluations.values(), strict=True)
    ]
    head = "| D | 16 iterations: MAE | rounded MAE | converged: MAE | rounded MAE |"
    table = "\n".join([head, "|---|---|---|---|---|", *rows])
    return (
        f"## {study.name}: error against D, and iteration by iteration\n\n"
        f"![Mean absolute error against the number of stereotypes](images/{study.name}-curve.png)\n\n{table}\n\n"
        f"{_suggestions(study)}"
        f"![Mean absolute error after each iteration](images/{study.name}-sweeps.png)\n\n"
        "The first two iterations count unknown ratings as zeros and so predict far too low; from the third on the "
        "error\nfalls quickly. The dashed lines are the errors of the converged model."
    )


def _suggestions(study: _Study) -> str:
    """Say which D is suggested; one fold alone cannot tell a difference from chance."""
    if len(study.model.folds) == 1:
        return ""
    early, late = (curve.suggestion().reason for curve in (study.curve, study.converged))
    return f"After 16 iterations: {early}\nConverged: {late}\n\n"


def _meaning(pictures: _Pictures) -> str:
    n_early, n_late = (order.n_edges for order in pictures.hierarchies)
    early, late = (", ".join(tags) or "none" for tags in pictures.everywhere)
    inclusions = (
        f"As in the paper, {' and '.join(LEFT_OUT)} are left out. Without them there are {n_early} inclusions after 16 "
        f"iterations\nand {n_late} in the converged model, which {pictures.found_by[8]} of {_STARTS} starts end in."
    )
    parts = [
        "## ml-1m: genre profiles at D = 2 and D = 3",
        "![Genre profiles of the stereotypes](images/profiles.png)",
        "Full bars: after 16 iterations. Ticks: the stereotype of the converged model that it is matched with.",
        *(_profile_list(pictures, n) for n in (2, 3)),
        "## ml-1m: the hierarchy of genres at ε = 1/3, D = 8",
        "![Hierarchy of genres after 16 iterations](images/hierarchy.png)",
        "![Hierarchy of genres of the converged model](images/hierarchy-converged.png)",
        "An arrow leads from a genre to one that it includes; above after 16 iterations, below converged.",
        inclusions,
        f"Genres that include every other one after 16 iterations: {early}.\nConverged: {late}.",
        _READING,
    ]
    return "\n\n".join(parts)


def _profile_list(pictures: _Pictures, n_stereotypes: int) -> str:
    early, late = pictures.profiles[n_stereotypes]
    gap = np.abs(early - late)
    tag, worst = np.unravel_index(gap.argmax(), gap.shape)
    lines = []
    for column in range(n_stereotypes):
        lines.append(f"- Stereotype {column + 1}")
        for name, bars in (("16 iterations", early[:, column]), ("converged", late[:, column])):
            order = np.argsort(-bars)
            high, low = (
                ", ".join(f"{pictures.tags[k]} {bars[k]:.2f}" for k in part) for part in (order[:3], order[-2:])
            )
            lines.append(f"  - {name}: highest {high}; lowest {low}")
    return (
        f"**D = {n_stereotypes}.** {pictures.found_by[n_stereotypes]} of {_STARTS} starts end in the converged model. "
        f"The bar that differs most\nis {pictures.tags[tag]} of stereotype {worst + 1}: {early[tag, worst]:.2f} after "
        f"16 iterations, {late[tag, worst]:.2f} converged.\n\n" + "\n".join(lines)
    )


def _draw_curve(study: _Study, path: Path) -> None:
    figure, axes = _error_axes("number of stereotypes D", study.name)
    for curve, how, style in ((study.curve, "16 iterations", "-"), (study.converged, "converged", "--")):
        table = curve.table()
        for name, label, color in (("mae", "raw", _COLORS[0]), ("mae_rounded", "rounded", _COLORS[1])):
            x, y, spread = table["stereotypes"], table[name], table[f"{name}_spread"]
            axes.errorbar(x, y, spread, color=color, ls=style, label=f"{label}, {how}", marker="o", ms=4, capsize=2)
    axes.legend(frameon=False)
    _save(figure, path)


def _draw_sweeps(study: _Study, path: Path) -> None:
    figure, axes = _error_axes("iteration", f"{study.name}, D = {DIMENSION[study.name]}")
    means = np.mean([[[s.mae, s.mae_rounded] for s in fold.sweeps] for fold in study.model.folds], axis=0)
    converged = study.converged.evaluations[DIMENSION[study.name]].scores
    ends = (converged.mae, converged.mae_rounded)
    for values, end, label, color in zip(means.T, ends, ("raw", "rounded"), _COLORS, strict=False):
        axes.plot(np.arange(1, len(means) + 1), values, color=color, label=label, marker="o", ms=4)
        axes.axhline(end, color=color, ls="--", lw=1)
    axes.legend(frameon=False)
    _save(figure, path)


def _draw_profiles(pictures: _Pictures, path: Path) -> None:
    shown = [(n, column) for n in (2, 3) for column in range(n)]
    figure, all_axes = plt.subplots(1, len(shown), figsize=(2.1 * len(shown), 4.6), sharey=True, layout="constrained")
    for axes, (n_stereotypes, column) in zip(all_axes, shown, strict=True):
        early, late = (bars[:, column] for bars in pictures.profiles[n_stereotypes])
        axes.barh(pictures.tags, early, color=_COLORS[column])
        axes.plot(late, np.arange(len(late)), ls="", marker="|", ms=9, mew=2, color="black")
        axes.set_xlim(0, 1)
        axes.set_title(f"D = {n_stereotypes}, stereotype {column + 1}", fontsize=9)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].invert_yaxis()
    _save(figure, path)


def _draw_hierarchy(order: Order, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8.5, 5.5), layout="constrained")
    graph = order.drawing()
    places = {node: (data["x"], data["y"]) for node, data in graph.nodes(data=True)}
    labels = {node: "\n".join(tags) for node, tags in graph.nodes(data="tags")}
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#f3f0e9", "edgecolor": "#0072b2"}
    nx.draw_networkx_edges(graph, places, ax=axes, arrowstyle="->", edge_color="#888888", node_size=900)
    nx.draw_networkx_labels(graph, places, labels, ax=axes, font_size=8, bbox=box)
    axes.margins(0.1)
    axes.axis("off")
    _save(figure, path)


def _error_axes(along: str, title: str) -> tuple[Any, Any]:
    figure, axes = plt.subplots(figsize=(5.6, 3.4), layout="constrained")
    axes.set(xlabel=along, ylabel="mean absolute error", title=title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e0d8", linewidth=0.8)
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=130)
    plt.close(figure)
