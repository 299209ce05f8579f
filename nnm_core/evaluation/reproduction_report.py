"""Write the report of a reproduction: Markdown with pictures, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nnm_core.errors import InputError
from nnm_core.evaluation.cross_validation import Evaluation
from nnm_core.evaluation.peers import Peer
from nnm_core.evaluation.reproduction import DIMENSION, LEFT_OUT, PAPER_TABLE, Pictures, Study
from nnm_core.interpret.hierarchy import Order
from nnm_core.types import FloatArray

try:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise InputError("The report draws with matplotlib: pip install 'nnm-explorer[reproduce]'.") from error

COLORS = ("#0072b2", "#d55e00", "#009e73")


def write_report(studies: Sequence[Study], pictures: Pictures | None, output: Path) -> Path:
    """Write the report to ``output`` and its pictures into the folder ``images`` beside it; return ``output``."""
    images = output.parent / "images"
    images.mkdir(exist_ok=True)
    parts = [_INTRODUCTION, *(_table(study) for study in studies), _ROUNDING]
    for study in studies:
        _draw_curve(study, images / f"{study.name}-curve.png")
        _draw_sweeps(study, images / f"{study.name}-sweeps.png")
        parts.append(_curves(study))
    if pictures is not None:
        _draw_profiles(pictures, images / "profiles.png")
        _draw_hierarchy(pictures.hierarchy, images / "hierarchy.png")
        parts.append(_meaning(pictures))
    output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return output


_INTRODUCTION = """# The paper's numbers and figures, computed again

Written by `nnm reproduce`. The paper is C. J. Stark, *Expressive recommender systems through normalized nonnegative
models* (2015). Every figure below was computed from the data by this program; the paper's own stand beside ours.
NNM is the preset `paper`: Algorithm 1 with 16 rounds, 2 of them filled, and nothing else. Peers are those of
scikit-surprise (the paper used LibRec), with the paper's settings as near as the library allows;
`nnm_core/evaluation/peers.py` says where it differs."""

_ROUNDING = """## Raw and rounded

A prediction such as 3.7 can be scored as it is or rounded to a whole star first. Rounding lowers the mean absolute
error and raises the root mean squared error, for every method in these tables: most ratings lie near what is
expected, so rounding hits many of them exactly, and misses the others by more. The paper's figures for NNM agree with
ours for *rounded* predictions, in both measures and on both data sets, and are far from ours for raw ones; its
figures for the other methods are near what raw predictions give. So its table compares rounded with raw predictions,
which makes both the lead of NNM in MAE and its lag in RMSE look larger than they are. Compare like with like: our two
pairs of columns."""


def _table(study: Study) -> str:
    paper = PAPER_TABLE[study.name]
    folds = "5 random folds" if study.n_folds == 5 else f"{study.n_folds} of 5 random folds"
    if any(len(peer.folds) < study.n_folds for peer in study.peers):
        folds += " (the peers on the first of them)"
    lines = [
        f"## {study.name}: predictive power\n",
        f"{study.n_ratings:,} ratings, {folds}, NNM with D = {DIMENSION[study.name]}.\n",
        "| | paper: MAE | RMSE | ours, raw: MAE | RMSE | ours, rounded: MAE | RMSE | seconds a fit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    found: dict[str, Evaluation | Peer] = {"NNM": study.model, **{peer.name: peer for peer in study.peers}}
    for name, (mae, rmse) in paper.items():
        ours = "not run | | | | "
        if name in found:
            s = found[name].scores
            ours = f"{s.mae:.3f} | {s.rmse:.3f} | {s.mae_rounded:.3f} | {s.rmse_rounded:.3f}"
            ours += f" | {found[name].seconds_fit:.2f}"
        lines.append(f"| {name} | {mae:.3f} | {rmse:.3f} | {ours} |")
    return "\n".join(lines)


def _curves(study: Study) -> str:
    suggestion = study.curve.suggestion()
    rows = [f"| {n} | {e.scores.mae:.4f} | {e.scores.mae_rounded:.4f} |" for n, e in study.curve.evaluations.items()]
    table = "\n".join(["| D | MAE | rounded MAE |", "|---|---|---|", *rows])
    return (
        f"## {study.name}: error against D, and round by round\n\n"
        f"![Mean absolute error against the number of stereotypes](images/{study.name}-curve.png)\n\n{table}\n\n"
        f"{suggestion.reason}\n\n"
        f"![Mean absolute error after each round](images/{study.name}-sweeps.png)\n\n"
        "The first two rounds count unknown ratings as zeros and so predict far too low; from the third on the error "
        "falls quickly."
    )


def _meaning(pictures: Pictures) -> str:
    towers = []
    for title, bars in _titled_bars(pictures):
        order = np.argsort(-bars)
        high, low = (", ".join(f"{pictures.tags[k]} {bars[k]:.2f}" for k in part) for part in (order[:3], order[-2:]))
        towers.append(f"- {title}: highest {high}; lowest {low}")
    names = " and ".join(LEFT_OUT)
    return "\n\n".join(
        [
            "## ml-1m: genre profiles at D = 2 and D = 3",
            "![Genre profiles of the stereotypes](images/profiles.png)",
            "\n".join(towers),
            "## ml-1m: the hierarchy of genres at ε = 1/3, D = 8",
            "![Hierarchy of genres](images/hierarchy.png)",
            f"An arrow leads from a genre to one that it includes. As in the paper, {names} are left out.",
            f"Genres that include every other one: {', '.join(pictures.everywhere) or 'none'}.",
        ]
    )


def _draw_curve(study: Study, path: Path) -> None:
    figure, axes = _axes(5.6, 3.4)
    table = study.curve.table()
    style = {"marker": "o", "ms": 4, "capsize": 2}
    for name, label, color in (("mae", "raw", COLORS[0]), ("mae_rounded", "rounded", COLORS[1])):
        axes.errorbar(table["stereotypes"], table[name], table[f"{name}_spread"], color=color, label=label, **style)
    axes.set(xlabel="number of stereotypes D", ylabel="mean absolute error", title=study.name)
    axes.legend(frameon=False)
    _save(figure, path)


def _draw_sweeps(study: Study, path: Path) -> None:
    figure, axes = _axes(5.6, 3.4)
    means = np.mean([[[s.mae, s.mae_rounded] for s in fold.sweeps] for fold in study.model.folds], axis=0)
    for column, label in enumerate(("raw", "rounded")):
        axes.plot(np.arange(1, len(means) + 1), means[:, column], color=COLORS[column], label=label, marker="o", ms=4)
    axes.set(xlabel="round", ylabel="mean absolute error", title=f"{study.name}, D = {DIMENSION[study.name]}")
    axes.legend(frameon=False)
    _save(figure, path)


def _draw_profiles(pictures: Pictures, path: Path) -> None:
    towers = _titled_bars(pictures)
    figure, all_axes = plt.subplots(1, len(towers), figsize=(2.1 * len(towers), 4.6), sharey=True, layout="constrained")
    colors = [COLORS[column] for profile in pictures.profiles for column in range(profile.shape[1])]
    rows = np.arange(len(pictures.tags))
    for axes, color, (title, bars) in zip(all_axes, colors, towers, strict=True):
        axes.barh(rows, bars, color=color)
        axes.set(xlim=(0, 1), yticks=rows, yticklabels=pictures.tags)
        axes.set_title(title, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].invert_yaxis()
    _save(figure, path)


def _titled_bars(pictures: Pictures) -> list[tuple[str, FloatArray]]:
    """Return a title and the bars (n_tags,) of each stereotype of all profiles."""
    return [
        (f"D = {profile.shape[1]}, stereotype {column + 1}", profile[:, column])
        for profile in pictures.profiles
        for column in range(profile.shape[1])
    ]


def _draw_hierarchy(order: Order, path: Path) -> None:
    figure, axes = _axes(8.5, 5.5)
    places = order.positions
    for above, below in np.argwhere(order.reduced):
        axes.annotate(
            "",
            places[below],
            places[above],
            arrowprops={"arrowstyle": "->", "color": "#888888", "shrinkA": 14, "shrinkB": 14},
        )
    for place, members in zip(places, order.classes, strict=True):
        axes.text(
            *place,
            "\n".join(order.tags[k] for k in members),
            ha="center",
            va="center",
            fontsize=8,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": "#f3f0e9", "edgecolor": "#0072b2"},
        )
    axes.set(xlim=(-0.1, 1.1), ylim=(-0.12, 1.12))
    axes.axis("off")
    _save(figure, path)


def _axes(width: float, height: float) -> tuple[Any, Any]:
    figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e0d8", linewidth=0.8)
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=130)
    plt.close(figure)
