"""What commands show on the terminal: a progress bar, warnings, and results as text."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from nnm_core.datasets import Dataset, ImportReport
from nnm_core.datasets.report import Finding, Note, Why
from nnm_core.evaluation import Evaluation, EvaluationProgress
from nnm_core.fitting.progress import Sweep
from nnm_core.interpret.text import write_portraits
from nnm_core.interpret.text.portraits import unnamed_portraits
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.phrases import counted
from nnm_core.scale import written

if TYPE_CHECKING:
    from nnm_core.cluster.spread import LoadedParts


class Bar:
    """A progress bar on the terminal, as a context at whose end it is cleared; silent where there is no terminal.

    While it is there Ctrl-C ends the command at the next report, if not at once: Python drops an interrupt that comes
    while the compiler calls it back.
    """

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._is_interrupted = False
        self._before: Any = None

    def __enter__(self) -> Bar:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)

    def show_sweep(self, sweep: Sweep) -> None:
        """Show how far a fit is."""
        left = sweep.seconds / sweep.share * (1.0 - sweep.share)
        text = f"iteration {sweep.number}, training error {sweep.training_error:.4f}, {left:.0f} s left"
        self.report(sweep.share, text)

    def show_progress(self, progress: EvaluationProgress) -> None:
        """Show how far an evaluation is."""
        text = f"{progress.done:.1f} of {progress.total:.0f} fits, {progress.seconds_left:.0f} s left"
        self.report(progress.done / progress.total, text)

    def show_bytes(self, done: int, total: int) -> None:
        """Show how far a download is."""
        self.report(done / total if total else 0.0, f"{done / 1e6:.1f} of {total / 1e6:.1f} MB")

    def report(self, share: float, step: str) -> None:
        """Show which share of the work is done, and the step that it is at."""
        if self._is_interrupted:
            raise KeyboardInterrupt
        if self._shown:
            done = round(30 * min(share, 1.0))
            print(f"\r{'█' * done}{'░' * (30 - done)} {step} ", end="", file=sys.stderr, flush=True)

    def _interrupt(self, *_: object) -> None:
        self._is_interrupted = True
        raise KeyboardInterrupt


def warn(report: ImportReport) -> None:
    """Print on the error stream what an import guessed and left out, and ratings that may mean "not rated"."""
    warn_of_guesses(report.findings)
    for dropped in report.dropped:
        print(f"Left out {counted(dropped.count, 'row')}: {dropped.reason}", file=sys.stderr)
    for offer in report.offers:
        text = f"{written(offer.value)} may mean “not rated” ({counted(offer.count, 'rating')}): {offer.why}"
        print(f"{text}; --missing {offer.value:.15g} leaves it out.", file=sys.stderr)


def warn_of_parts(loaded: LoadedParts) -> None:
    """Print on the error stream how columns were found, and which rows of which part were left out."""
    warn_of_guesses(loaded.notes)
    for path, dropped in loaded.dropped:
        example = f" ({dropped.examples[0]})" if dropped.examples else ""
        print(f"{path}: left out {counted(dropped.count, 'row')}: {dropped.reason}{example}", file=sys.stderr)


def warn_of_guesses(notes: Sequence[Note]) -> None:
    """Print on the error stream which columns were taken for something that their names do not say."""
    for found in notes:
        if found.kind is Finding.TAKEN and found.details["why"] is not Why.NAME:
            print(f"Taken for the {found}", file=sys.stderr)


def summarise(model: Model) -> str:
    """Describe a model in a few lines."""
    options, scale = model.options, model.scale
    step = "continuous" if scale.is_continuous else f"steps of {written(scale.step)}"
    lines = [
        f"people     {model.n_users:,}",
        f"items      {model.n_items:,}",
        f"scale      {written(scale.lowest)} to {written(scale.highest)}, {step}",
        f"mode       {options.mode}, seed {model.seed}",
        f"options    {_describe_options(options)}",
    ]
    if model.traces:
        last = model.traces[-1]
        state = {"converged": "converged", "fixed": "not converged, stops early"}.get(
            model.ending, "not converged, out of iterations"
        )
        lines.append(
            f"fit        {state}: the last of {len(last.training_errors)} iterations moved it by {last.movement:.1e}; "
            f"training error (RMSE) {last.training_errors[-1]:.4f}"
        )
    lines.append("\nstereotype   share of the audience")
    shares = model.mixtures.mean(axis=0)
    lines += [
        f"{name:<12} {share:6.1%}  {'█' * round(40 * share)}" for name, share in zip(model.names, shares, strict=True)
    ]
    return "\n".join(lines)


def describe_stereotypes(model: Model, dataset: Dataset, *, has_taste: bool = True) -> str:
    """Return every stereotype in words, one line each, with the items to recognise it by.

    ``has_taste``: whether held-out ratings bear out that people differ in taste; otherwise nothing is said of it.
    """
    lines = []
    if has_taste:
        portraits = write_portraits(model, dataset)
    else:
        portraits = unnamed_portraits(model, "What sets it apart could be chance.")
        lines = ["No taste found beyond chance: ratings held out do not bear out what stereotypes add to averages.\n"]
    for name, part in zip(model.names, portraits, strict=True):
        known_by = f" Known by: {'; '.join(part.titles)}." if part.titles else ""
        lines.append(f"{name:<12} {part.name}, {part.share_in_words}. {part.text}{known_by}")
    return "\n".join(lines)


def score_table(evaluation: Evaluation) -> str:
    """Return the scores of each fold, their mean and their spread as a table with a heading."""
    size = f"{counted(evaluation.n_ratings, 'rating')}, {counted(len(evaluation.folds), 'fold')}"
    lines = [
        f"{size}, {_describe_options(evaluation.options)}\n",
        f"{'':<8}{'MAE':>9}{'RMSE':>9}{'rounded MAE':>14}{'rounded RMSE':>14}",
    ]
    rows = [(f"fold {k + 1}", fold.scores) for k, fold in enumerate(evaluation.folds)]
    lines += [
        f"{name:<8}{scores.mae:9.4f}{scores.rmse:9.4f}{scores.mae_rounded:14.4f}{scores.rmse_rounded:14.4f}"
        for name, scores in [*rows, ("mean", evaluation.scores), ("spread", evaluation.spread)]
    ]
    unseen = sum(fold.n_unseen_users + fold.n_unseen_items for fold in evaluation.folds)
    took = f"A fit took {evaluation.seconds_fit:.2f} s. {unseen:,} held-out ratings had a user or an item that the"
    return "\n".join([*lines, f"\n{took}", "training part lacks, and were predicted from the average."])


def scores_as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the scores of an evaluation and of its folds, as an object for JSON."""
    return {
        **asdict(evaluation.scores),
        "folds": [asdict(fold.scores) for fold in evaluation.folds],
        "seconds_fit": evaluation.seconds_fit,
        "n_ratings": evaluation.n_ratings,
        "options": asdict(evaluation.options),
    }


def _describe_options(options: FitOptions) -> str:
    """Return the options that differ from the paper's, by name."""
    paper = FitOptions()
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(options, name) != getattr(paper, name)]
    return ", ".join(f"{name}={getattr(options, name)}" for name in names) or "as in the paper"
