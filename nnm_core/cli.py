"""The command line: ``nnm`` starts the dashboard, the other commands do one thing each."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, get_args

from nnm_core.datasets import describe, load_dataset
from nnm_core.datasets.catalogue import find_local
from nnm_core.errors import InputError, NnmError
from nnm_core.evaluation import Evaluation, Progress, cross_validate, own_folds, random_folds
from nnm_core.evaluation.baselines import SURPRISE
from nnm_core.evaluation.reproduction import reproduce
from nnm_core.features import SideInformation
from nnm_core.fitting import fit
from nnm_core.model import Model
from nnm_core.options import PRESETS, Fill, FitOptions, Mode, preset
from nnm_core.progress import Sweep
from nnm_core.ratings import Ratings
from nnm_core.storage import check_writable, load_model, save_model
from nnm_core.types import BoolArray

USAGE_ERROR = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parsed = _parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
    except NnmError as error:
        print(f"nnm: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("\nnnm: stopped; nothing was written.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        sys.stderr.close()
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nnm", description="Normalized nonnegative models of ratings. Without a command, start the dashboard."
    )
    parser.add_argument("--version", action="version", version=f"nnm-explorer {version('nnm-explorer')}")
    parser.set_defaults(run=_dashboard, port=None)
    commands = parser.add_subparsers(metavar="command")

    dashboard = commands.add_parser("dashboard", help="start the dashboard (what `nnm` alone does)")
    dashboard.add_argument("--port", type=int, help="where it listens (default: the first free port from 8501)")
    dashboard.set_defaults(run=_dashboard)

    fitting = commands.add_parser("fit", help="fit a model to ratings and store it")
    _add_data(fitting)
    _add_options(fitting)
    fitting.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to store the model (*.nnm)")
    fitting.set_defaults(run=_fit)

    info = commands.add_parser("info", help="say what is in a model file")
    info.add_argument("model", type=Path, help="a file that `nnm fit` wrote")
    info.set_defaults(run=_info)

    evaluation = commands.add_parser("evaluate", help="say how well a model predicts ratings that it has not seen")
    _add_data(evaluation)
    _add_options(evaluation)
    evaluation.add_argument("--folds", default="5", help="how many random folds, or u1-u5 for those of MovieLens 100K")
    evaluation.add_argument("--no-side", action="store_true", help="leave traits, tags and decades out (accurate only)")
    evaluation.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    evaluation.set_defaults(run=_evaluate)

    again = commands.add_parser("reproduce", help="compute the paper's numbers and figures again")
    again.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="holds ml-100k, ml-1m or both")
    again.add_argument("-o", "--output", type=Path, default=Path("docs/reproduction.md"), help="default: %(default)s")
    again.add_argument("--folds", type=int, default=5, choices=range(1, 6), help="of five, how many (default: all)")
    again.add_argument("--peers", nargs="*", choices=SURPRISE, default=list(SURPRISE), help="default: all; slow on 1M")
    again.set_defaults(run=_reproduce)

    inspect = commands.add_parser("inspect", help="say what is in a data file, and what would be left out of it")
    _add_data(inspect)
    inspect.set_defaults(run=_inspect)
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        nargs="?",
        default="bundled",
        metavar="DATA",
        help="a file or folder of ratings, or the name of a MovieLens data set (default: the bundled one)",
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    """One flag per option of a fit; what is not given comes from the preset."""
    add = parser.add_argument
    add("-D", "--stereotypes", type=int, dest="n_stereotypes", metavar="D", help="how many stereotypes (default 3)")
    add("--preset", choices=list(PRESETS), default="recommended", help="default: %(default)s")
    add("--seed", type=int, default=0, help="of the random start (default %(default)s)")
    add("--mode", choices=get_args(Mode), help="ratings as probabilities of liking, or as answers of their own")
    add("--sweeps", type=int, dest="n_sweeps", metavar="N", help="rounds over all items and users, at most")
    add("--tol", type=float, help="stop when a round improves the objective by less than this share")
    add("--fill", choices=get_args(Fill), help="which unknown ratings count as zero in the first rounds")
    add("--fill-sweeps", type=int, metavar="N", help="how many rounds that is")
    add("--generosity", action=argparse.BooleanOptionalAction, default=None, help="add the enthusiast and the skeptic")
    add("--shrinkage", type=float, metavar="S", help="pull toward the average, in ratings")
    add("--committee", type=int, metavar="K", help="average this many fits")
    add("--star-sweeps", type=int, metavar="N", help="rounds in stars mode, after those in like mode")
    add("--anchors", type=int, nargs=2, metavar=("USERS", "ITEMS"), help="fit these many, fold the rest in")
    add("--threads", type=int, help="default: one per processor")


def _options(parsed: argparse.Namespace) -> FitOptions:
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(parsed, name, None) is not None]
    changes: dict[str, Any] = {name: getattr(parsed, name) for name in names}
    if "anchors" in changes:
        changes["anchors"] = tuple(changes["anchors"])
    return preset(parsed.preset, **changes)


def _fit(parsed: argparse.Namespace) -> int:
    options = _options(parsed)
    if parsed.output:
        check_writable(parsed.output)
    dataset, report = load_dataset(parsed.data)
    for dropped in report.dropped:
        print(f"Left out {dropped.count:,} rows: {dropped.reason}", file=sys.stderr)
    bar = _Bar()
    began = time.perf_counter()
    side = SideInformation.of(dataset) if options.method == "distilled" else None
    model = fit(dataset.ratings, options, seed=parsed.seed, side=side, n_threads=parsed.threads, callback=bar)
    seconds = time.perf_counter() - began
    bar.close()
    if parsed.output:
        save_model(model, parsed.output)
    print(f"{dataset.name}: {len(dataset.ratings):,} ratings, fitted in {seconds:.2f} s")
    print(_summary(model))
    where = f"Stored in {parsed.output}." if parsed.output else "Not stored; add -o FILE to keep it."
    print(f"\n{where}")
    return 0


def _info(parsed: argparse.Namespace) -> int:
    model = load_model(parsed.model)
    print(f"{parsed.model}: {parsed.model.stat().st_size:,} bytes")
    print(_summary(model))
    print(f"ratings    {model.data_hash[:16]}… (content hash)")
    return 0


def _evaluate(parsed: argparse.Namespace) -> int:
    options = _options(parsed)
    dataset, _ = load_dataset(parsed.data)
    bar = _Bar()
    evaluation = cross_validate(
        dataset.ratings,
        options,
        _folds(parsed, dataset.ratings),
        seed=parsed.seed,
        side=SideInformation.of(dataset) if options.method == "distilled" and not parsed.no_side else None,
        n_threads=parsed.threads,
        callback=bar.show_progress,
    )
    bar.close()
    if parsed.json:
        print(json.dumps(_as_json(evaluation)))
        return 0
    print(f"{dataset.name}: {evaluation.n_ratings:,} ratings, {len(evaluation.folds)} folds, {_said(options)}\n")
    print(f"{'':<8}{'MAE':>9}{'RMSE':>9}{'rounded MAE':>14}{'rounded RMSE':>14}")
    rows = [(f"fold {k + 1}", fold.scores) for k, fold in enumerate(evaluation.folds)]
    for name, scores in [*rows, ("mean", evaluation.scores), ("spread", evaluation.spread)]:
        print(f"{name:<8}{scores.mae:9.4f}{scores.rmse:9.4f}{scores.mae_rounded:14.4f}{scores.rmse_rounded:14.4f}")
    unseen = sum(fold.n_unseen_users + fold.n_unseen_items for fold in evaluation.folds)
    print(f"\nA fit took {evaluation.seconds_fit:.2f} s. {unseen:,} held-out ratings had a user or an item that the")
    print("training part lacks, and were predicted from the average.")
    return 0


def _folds(parsed: argparse.Namespace, ratings: Ratings) -> list[BoolArray]:
    if parsed.folds == "u1-u5":
        folder = Path(parsed.data) if Path(parsed.data).is_dir() else find_local(parsed.data)
        if folder is None or not folder.is_dir():
            raise InputError(f"--folds u1-u5 needs the folder of MovieLens 100K, and {parsed.data!r} is none.")
        return own_folds(folder, ratings)
    if not parsed.folds.isdecimal():
        raise InputError(f"--folds takes a whole number or u1-u5, not {parsed.folds!r}.")
    return random_folds(ratings, int(parsed.folds), parsed.seed)


def _as_json(evaluation: Evaluation) -> dict[str, Any]:
    return {
        **asdict(evaluation.scores),
        "folds": [asdict(fold.scores) for fold in evaluation.folds],
        "seconds_fit": evaluation.seconds_fit,
        "n_ratings": evaluation.n_ratings,
        "options": asdict(evaluation.options),
    }


def _reproduce(parsed: argparse.Namespace) -> int:
    said = reproduce(parsed.data, parsed.output, n_folds=parsed.folds, peers=parsed.peers, say=_say)
    print(f"Written to {said}.")
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def _inspect(parsed: argparse.Namespace) -> int:
    print(describe(*load_dataset(parsed.data)))
    return 0


def _dashboard(parsed: argparse.Namespace) -> NoReturn:
    spec = importlib.util.find_spec("dashboard.app")
    if spec is None or spec.origin is None:
        raise InputError("The dashboard is not installed; install nnm-explorer whole.")
    app = Path(spec.origin)
    # In a checkout the settings lie beside the package; in an installed copy inside it, where Streamlit finds them.
    if (app.parent.parent / ".streamlit").is_dir():
        os.chdir(app.parent.parent)
    port = [] if parsed.port is None else ["--server.port", str(parsed.port)]
    # Become the server rather than start one: whoever stops this process then stops the server.
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(app), *port])  # noqa: S606


def _summary(model: Model) -> str:
    """What a model is, in a few lines."""
    options, scale = model.options, model.scale
    step = "continuous" if scale.is_continuous else f"steps of {scale.step:g}"
    lines = [
        f"people     {model.n_users:,}",
        f"items      {model.n_items:,}",
        f"scale      {scale.lowest:g} to {scale.highest:g}, {step}",
        f"mode       {options.mode}, seed {model.seed}",
        f"options    {_said(options)}",
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


def _said(options: FitOptions) -> str:
    """The options that differ from the paper's, by name."""
    paper = FitOptions()
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(options, name) != getattr(paper, name)]
    return ", ".join(f"{name}={getattr(options, name)}" for name in names) or "as in the paper"


class _Bar:
    """A progress bar on the terminal; silent where there is none."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, sweep: Sweep) -> None:
        if not self._shown:
            return
        done = round(30 * sweep.number / sweep.n_sweeps)
        left = sweep.seconds / sweep.number * (sweep.n_sweeps - sweep.number)
        print(
            f"\r{'█' * done}{'░' * (30 - done)} round {sweep.number}/{sweep.n_sweeps}, "
            f"training error {sweep.training_error:.4f}, {left:.0f} s left ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def show_progress(self, progress: Progress) -> None:
        """Show how far an evaluation is."""
        if self._shown:
            done = round(30 * progress.done / progress.total)
            text = f"\r{'█' * done}{'░' * (30 - done)} {progress.done:.1f} of {progress.total:.0f} fits, "
            print(f"{text}{progress.seconds_left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave an empty line behind."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
