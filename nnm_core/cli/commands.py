"""The commands of ``nnm``, which take the parsed arguments, and what they show on a terminal."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from nnm_core.datasets import Cleaning, Dataset, Hints, ImportReport, describe, diagnose, load_dataset
from nnm_core.datasets.catalogue import find_local
from nnm_core.datasets.report import Finding, Why
from nnm_core.errors import InputError
from nnm_core.evaluation import Evaluation, EvaluationProgress, cross_validate, own_folds, random_folds, single_split
from nnm_core.evaluation.peers import SURPRISE
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Sweep
from nnm_core.interpret.text import write_portraits
from nnm_core.model import Model
from nnm_core.options import FitOptions, for_seen_only, preset
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale, written
from nnm_core.storage import check_writable, load_model, save_model
from nnm_core.types import BoolArray


def run_fit(parsed: argparse.Namespace) -> None:
    """Fit a model, store it if asked to, and print a summary."""
    options = _options(parsed)
    if parsed.output:
        check_writable(parsed.output)
    dataset, report = _load(parsed)
    _warn(report)
    if dataset.implicit:
        options = for_seen_only(options)
        print("Nobody gave ratings: whatever was not seen counts as zero in every iteration.", file=sys.stderr)
    n_people = dataset.ratings.n_users
    if options.n_stereotypes > n_people:
        there = f"There {'is' if n_people == 1 else 'are'} only {counted(n_people, 'person', 'people')}"
        print(f"{there}: more stereotypes than that describe nobody.", file=sys.stderr)
    why_not = diagnose(dataset, report)
    if why_not:
        print(f"Nothing can be learned from these data. {why_not}", file=sys.stderr)
    bar = _Bar()
    began = time.perf_counter()
    side = SideInformation.of(dataset) if options.uses_side_information else None
    model = fit(
        dataset.ratings, options, seed=parsed.seed, side=side, n_threads=parsed.threads, callback=bar.show_sweep
    )
    seconds = time.perf_counter() - began
    bar.close()
    if parsed.output:
        save_model(model, parsed.output)
    print(f"{dataset.name}: {counted(len(dataset.ratings), 'rating')}, fitted in {seconds:.2f} s")
    print(_summary(model))
    print("\n" + _describe_stereotypes(model, dataset))
    print(f"\nStored in {parsed.output}." if parsed.output else "\nNot stored; add -o FILE to keep it.")


def run_info(parsed: argparse.Namespace) -> None:
    """Print a summary of a stored model."""
    model = load_model(parsed.model)
    print(f"{parsed.model}: {parsed.model.stat().st_size:,} bytes")
    print(_summary(model))
    print(f"ratings    {model.data_hash[:16]}… (content hash)")


def run_evaluate(parsed: argparse.Namespace) -> None:
    """Cross-validate, and print a table or a JSON object."""
    options = _options(parsed)
    dataset, report = _load(parsed)
    if dataset.implicit:
        raise InputError(
            f"{dataset.name} says only who saw what, and every rating is 1: an error in stars would always be 0. "
            "Name the column of the ratings with --columns, or look at lists with benchmarks/ranking.py."
        )
    _warn(report)
    if why_not := diagnose(dataset, report):
        print(f"Nothing can be learned from these data. {why_not}", file=sys.stderr)
    bar = _Bar()
    evaluation = cross_validate(
        dataset.ratings,
        options,
        _folds(parsed, dataset.ratings),
        seed=parsed.seed,
        side=SideInformation.of(dataset) if options.uses_side_information and not parsed.no_side else None,
        n_threads=parsed.threads,
        callback=bar.show_progress,
    )
    bar.close()
    print(json.dumps(_as_json(evaluation)) if parsed.json else f"{dataset.name}: {_score_table(evaluation)}")


def run_report(parsed: argparse.Namespace) -> None:
    """Fit a model, test it on held-out ratings, and write the report that the dashboard offers."""
    options = _options(parsed)
    check_writable(parsed.output, "report.html")
    dataset, report = _load(parsed)
    _warn(report)
    bar = _Bar()
    options = for_seen_only(options) if dataset.implicit else options
    side = SideInformation.of(dataset) if options.uses_side_information else None
    model = fit(
        dataset.ratings, options, seed=parsed.seed, side=side, n_threads=parsed.threads, callback=bar.show_sweep
    )
    page = resolve_name("dashboard.report:report_of")(parsed.data, dataset, report, model, bar)
    bar.close()
    parsed.output.write_text(page, encoding="utf-8")
    print(f"Written to {parsed.output}.")


def run_reproduce(parsed: argparse.Namespace) -> None:
    """Write the report on the paper's numbers and figures."""
    from nnm_core.evaluation.reproduction import reproduce  # needs matplotlib, which only this command does

    peers = SURPRISE if parsed.peers is None else parsed.peers
    path = reproduce(
        parsed.data, parsed.output, n_folds=parsed.folds, peers=peers, slow=parsed.slow, say=partial(print, flush=True)
    )
    print(f"Written to {path}.")


def run_inspect(parsed: argparse.Namespace) -> None:
    """Describe a data set and its import, and say how to read it in the same way again."""
    dataset, report = _load(parsed)
    print(describe(dataset, report))
    if why_not := diagnose(dataset, report):
        print(f"  Nothing can be learned from these data. {why_not}")
    if report.arguments:
        print(f"  to read it in the same way: nnm fit {shlex.join([parsed.data, *report.arguments])}")


def _load(parsed: argparse.Namespace) -> tuple[Dataset, ImportReport]:
    """Load the data set that the arguments name."""
    cleaning = Cleaning(
        missing=tuple(parsed.missing),
        duplicates=parsed.duplicates,
        min_user_ratings=parsed.min_user_ratings,
        min_item_ratings=parsed.min_item_ratings,
        n_bins=parsed.bins,
        scale=Scale(*parsed.scale) if parsed.scale else None,
    )
    bar = _Bar()
    loaded = load_dataset(
        parsed.data,
        items=parsed.items,
        users=parsed.users,
        hints=hints_of(parsed),
        cleaning=cleaning,
        accept_licence=parsed.accept_licence,
        progress=bar.show_bytes,
    )
    bar.close()
    return loaded


def hints_of(parsed: argparse.Namespace) -> Hints:
    """Return what the arguments say about the columns of the ratings."""
    return Hints(
        columns=tuple(parsed.columns),
        one_person=parsed.one_person,
        wide=parsed.wide,
        transposed=parsed.transpose,
        traits=tuple(parsed.traits),
        drop=tuple(parsed.drop),
        file=parsed.file,
    )


def _options(parsed: argparse.Namespace) -> FitOptions:
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(parsed, name, None) is not None]
    changes: dict[str, Any] = {name: getattr(parsed, name) for name in names}
    if "anchors" in changes:
        changes["anchors"] = tuple(changes["anchors"])
    return preset(parsed.preset, **changes)


def _folds(parsed: argparse.Namespace, ratings: Ratings) -> list[BoolArray]:
    if parsed.folds == "u1-u5":
        folder = find_local("ml-100k") if parsed.data == "ml-100k" else Path(parsed.data)
        if folder is None or not folder.is_dir():
            raise InputError(f"--folds u1-u5 needs the folder of MovieLens 100K, and {parsed.data!r} is none.")
        return own_folds(folder, ratings)
    if parsed.folds.isdecimal():
        return random_folds(ratings, int(parsed.folds), parsed.seed)
    trained_on, slash, held_out = parsed.folds.partition("/")
    if slash and trained_on.isdecimal() and held_out.isdecimal() and int(trained_on) + int(held_out) == 100:
        return single_split(ratings, int(held_out) / 100, parsed.seed)
    raise InputError(f"--folds takes a whole number, a split such as 80/20, or u1-u5, not {parsed.folds!r}.")


def _as_json(evaluation: Evaluation) -> dict[str, Any]:
    return {
        **asdict(evaluation.scores),
        "folds": [asdict(fold.scores) for fold in evaluation.folds],
        "seconds_fit": evaluation.seconds_fit,
        "n_ratings": evaluation.n_ratings,
        "options": asdict(evaluation.options),
    }


class _Bar:
    """A progress bar on the terminal; silent where there is none."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def show_sweep(self, sweep: Sweep) -> None:
        """Show how far a fit is."""
        left = sweep.seconds / sweep.share * (1.0 - sweep.share)
        text = f"iteration {sweep.number}, training error {sweep.training_error:.4f}, {left:.0f} s left"
        self._draw(sweep.share, text)

    def show_progress(self, progress: EvaluationProgress) -> None:
        """Show how far an evaluation is."""
        text = f"{progress.done:.1f} of {progress.total:.0f} fits, {progress.seconds_left:.0f} s left"
        self._draw(progress.done / progress.total, text)

    def report(self, share: float, step: str) -> None:
        """Show how far work of several steps is."""
        self._draw(share, step)

    def show_bytes(self, done: int, total: int) -> None:
        """Show how far a download is."""
        self._draw(done / total if total else 0.0, f"{done / 1e6:.1f} of {total / 1e6:.1f} MB")

    def _draw(self, share: float, text: str) -> None:
        if self._shown:
            done = round(30 * min(share, 1.0))
            print(f"\r{'█' * done}{'░' * (30 - done)} {text} ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)


def _warn(report: ImportReport) -> None:
    """Print on the error stream what an import guessed and left out, and ratings that may mean "not rated"."""
    for found in report.findings:
        if found.kind is Finding.TAKEN and found.details["why"] is not Why.NAME:
            print(f"Taken for the {found}", file=sys.stderr)
    for dropped in report.dropped:
        print(f"Left out {counted(dropped.count, 'row')}: {dropped.reason}", file=sys.stderr)
    for offer in report.offers:
        text = f"{written(offer.value)} may mean “not rated” ({counted(offer.count, 'rating')}): {offer.why}"
        print(f"{text}; --missing {offer.value:.15g} leaves it out.", file=sys.stderr)


def _summary(model: Model) -> str:
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
        state = "converged" if model.converged else "not converged"
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


def _score_table(evaluation: Evaluation) -> str:
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


def _describe_options(options: FitOptions) -> str:
    """Return the options that differ from the paper's, by name."""
    paper = FitOptions()
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(options, name) != getattr(paper, name)]
    return ", ".join(f"{name}={getattr(options, name)}" for name in names) or "as in the paper"


def _describe_stereotypes(model: Model, dataset: Dataset) -> str:
    """Return every stereotype in words, one line each, with the items to recognise it by."""
    lines = []
    for name, part in zip(model.names, write_portraits(model, dataset), strict=True):
        known_by = f" Known by: {'; '.join(part.titles)}." if part.titles else ""
        lines.append(f"{name:<12} {part.name}, {part.share_in_words}. {part.text}{known_by}")
    return "\n".join(lines)
