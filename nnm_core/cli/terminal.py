"""What commands show on a terminal: a progress bar, and a model in a few lines."""

from __future__ import annotations

import sys

from nnm_core.datasets import Dataset
from nnm_core.evaluation import Progress
from nnm_core.fitting.progress import Sweep
from nnm_core.interpret.text.portraits import write_portraits
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.scale import written


class Bar:
    """A progress bar on the terminal; silent where there is none."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def show_sweep(self, sweep: Sweep) -> None:
        """Show how far a fit is."""
        left = sweep.seconds / sweep.number * (sweep.n_sweeps - sweep.number)
        text = f"round {sweep.number}/{sweep.n_sweeps}, training error {sweep.training_error:.4f}, {left:.0f} s left"
        self._draw(sweep.number / sweep.n_sweeps, text)

    def show_progress(self, progress: Progress) -> None:
        """Show how far an evaluation is."""
        text = f"{progress.done:.1f} of {progress.total:.0f} fits, {progress.seconds_left:.0f} s left"
        self._draw(progress.done / progress.total, text)

    def show_bytes(self, done: int, total: int) -> None:
        """Show how far a download is."""
        self._draw(done / total if total else 0.0, f"{done / 1e6:.1f} of {total / 1e6:.1f} MB")

    def _draw(self, share: float, text: str) -> None:
        if self._shown:
            done = round(30 * min(share, 1.0))
            print(f"\r{'█' * done}{'░' * (30 - done)} {text} ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave an empty line behind."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)


def summary(model: Model) -> str:
    """What a model is, in a few lines."""
    options, scale = model.options, model.scale
    step = "continuous" if scale.is_continuous else f"steps of {written(scale.step)}"
    lines = [
        f"people     {model.n_users:,}",
        f"items      {model.n_items:,}",
        f"scale      {written(scale.lowest)} to {written(scale.highest)}, {step}",
        f"mode       {options.mode}, seed {model.seed}",
        f"options    {said(options)}",
    ]
    if model.traces:
        last = model.traces[-1]
        state = "converged" if model.converged else "not at rest yet"
        lines.append(
            f"fit        {state}: the last of {len(last.training_errors)} rounds improved it by {last.progress:.2%}; "
            f"training error (RMSE) {last.training_errors[-1]:.4f}"
        )
    lines.append("\nstereotype   share of the audience")
    shares = model.mixtures.mean(axis=0)
    lines += [
        f"{name:<12} {share:6.1%}  {'█' * round(40 * share)}" for name, share in zip(model.names, shares, strict=True)
    ]
    return "\n".join(lines)


def said(options: FitOptions) -> str:
    """The options that differ from the paper's, by name."""
    paper = FitOptions()
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(options, name) != getattr(paper, name)]
    return ", ".join(f"{name}={getattr(options, name)}" for name in names) or "as in the paper"


def in_words(model: Model, dataset: Dataset) -> str:
    """Every stereotype in words, one paragraph each."""
    found = write_portraits(model, dataset)
    return "\n".join(f"{name:<12} {part.name}. {part.text}" for name, part in zip(model.names, found, strict=True))
