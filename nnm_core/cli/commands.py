"""The commands of ``nnm``, which take the parsed arguments."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

from nnm_core.cli import output
from nnm_core.cli.arguments import cleaning_of, cluster, hints_of, options_of
from nnm_core.cli.output import Bar
from nnm_core.datasets import Dataset, ImportReport, describe, diagnose, load_dataset
from nnm_core.datasets.catalogue import find_local
from nnm_core.errors import InputError
from nnm_core.evaluation import cross_validate, own_folds, random_folds, single_split
from nnm_core.evaluation.peers import SURPRISE
from nnm_core.evaluation.taste import measure_taste_gain, taste_options
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.interpret.text.portraits import with_names
from nnm_core.model import Model
from nnm_core.options import FitOptions, for_seen_only
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings
from nnm_core.storage import check_writable, load_model, save_model
from nnm_core.types import BoolArray


def run_fit(parsed: argparse.Namespace) -> None:
    """Fit a model, store it if asked to, and print a summary."""
    options = options_of(parsed)
    if parsed.output:
        check_writable(parsed.output)
    if parsed.cluster:
        _fit_on_cluster(parsed, options)
        return
    if parsed.checkpoint or parsed.resume:
        raise InputError("--checkpoint and --resume are for fits on a cluster; add --cluster ADDRESS.")
    dataset, report = _load(parsed)
    output.warn(report)
    if dataset.implicit:
        options = for_seen_only(options)
        print("Nobody gave ratings: whatever was not seen counts as zero in every iteration.", file=sys.stderr)
    n_people = dataset.ratings.n_users
    if options.n_stereotypes > n_people:
        there = f"There {'is' if n_people == 1 else 'are'} only {counted(n_people, 'person', 'people')}"
        print(f"{there}: more stereotypes than that describe nobody.", file=sys.stderr)
    if why_not := diagnose(dataset, report):
        print(f"Nothing can be learned from these data. {why_not}", file=sys.stderr)
    began = time.perf_counter()
    model = _fit(parsed, dataset, options)
    seconds = time.perf_counter() - began
    name = f"{dataset.name}: {counted(len(dataset.ratings), 'rating')}"
    _finish_fit(parsed, model, f"{name}, fitted in {seconds:.2f} s")
    print("\n" + output.describe_stereotypes(model, dataset, has_taste=_has_taste(dataset, model)))


def _fit_on_cluster(parsed: argparse.Namespace, options: FitOptions) -> None:
    """Fit a model to a folder or bucket of parts on the workers of a cluster."""
    from nnm_core.cluster.fit_parts import fit_parts
    from nnm_core.cluster.spread import RATINGS_PER_PARTITION

    began, checkpoint, own = time.perf_counter(), parsed.checkpoint, None
    if checkpoint is None and parsed.output and parsed.cluster.startswith("local:"):
        checkpoint = own = Path(f"{parsed.output.absolute()}.checkpoint")
    with Bar() as bar, cluster(parsed.cluster) as client:
        model = fit_parts(
            parsed.data,
            options,
            client=client,
            seed=parsed.seed,
            hints=hints_of(parsed),
            cleaning=cleaning_of(parsed),
            checkpoint=checkpoint,
            resume=parsed.resume,
            ratings_per_partition=parsed.partition or RATINGS_PER_PARTITION,
            callback=bar.show_sweep,
            on_reading=bar.report,
            on_loaded=output.warn_of_parts,
        )
    _finish_fit(parsed, model, f"{parsed.data}: fitted in {time.perf_counter() - began:.2f} s")
    if own is not None:
        with suppress(OSError):  # it may hold the checkpoints of another fit
            own.rmdir()


def _finish_fit(parsed: argparse.Namespace, model: Model, heading: str) -> None:
    """Store a model if asked to, and print a summary."""
    if parsed.output:
        save_model(model, parsed.output)
    print(heading)
    print(output.summarise(model))
    print(f"\nStored in {parsed.output}." if parsed.output else "\nNot stored; add -o FILE to keep it.")


def _has_taste(dataset: Dataset, model: Model) -> bool:
    """Whether held-out ratings bear out that people differ in taste, or cannot tell."""
    options = taste_options(dataset, model.n_stereotypes)
    if options is None:
        return True
    with Bar() as bar:
        return measure_taste_gain(dataset.ratings, options, callback=bar.show_sweep).is_found


def run_info(parsed: argparse.Namespace) -> None:
    """Print a summary of a stored model."""
    model = load_model(parsed.model)
    print(f"{parsed.model}: {parsed.model.stat().st_size:,} bytes")
    print(output.summarise(model))
    print(f"ratings    {model.data_hash[:16]}… (content hash)")


def run_evaluate(parsed: argparse.Namespace) -> None:
    """Cross-validate, and print a table or a JSON object."""
    options = options_of(parsed)
    dataset, report = _load(parsed)
    if dataset.implicit:
        raise InputError(
            f"{dataset.name} says only who saw what, and every rating is 1: an error in stars would always be 0. "
            "Name the column of the ratings with --columns, or look at lists with benchmarks/ranking.py."
        )
    output.warn(report)
    if why_not := diagnose(dataset, report):
        print(f"Nothing can be learned from these data. {why_not}", file=sys.stderr)
    with Bar() as bar, cluster(parsed.cluster) as client:
        evaluation = cross_validate(
            dataset.ratings,
            options,
            _folds(parsed, dataset.ratings),
            seed=parsed.seed,
            side=SideInformation.of(dataset) if options.uses_side_information and not parsed.no_side else None,
            n_threads=parsed.threads,
            callback=bar.show_progress,
            client=client,
        )
    table = f"{dataset.name}: {output.score_table(evaluation)}"
    print(json.dumps(output.scores_as_json(evaluation)) if parsed.json else table)


def run_report(parsed: argparse.Namespace) -> None:
    """Fit a model, test it on held-out ratings, and write the report that the dashboard offers."""
    options, n_names = options_of(parsed), len(parsed.names)
    if n_names > options.n_stereotypes:
        raise InputError(f"--names has {counted(n_names, 'name')} for {counted(options.n_stereotypes, 'stereotype')}.")
    check_writable(parsed.output, "report.html")
    dataset, report = _load(parsed)
    output.warn(report)
    options = for_seen_only(options) if dataset.implicit else options
    if parsed.starts is None:
        options = resolve_name("dashboard.report:as_shown")(dataset, options)
    model = _fit(parsed, dataset, options)
    model = with_names(model, dict(enumerate(parsed.names)))
    with Bar() as bar:
        page = resolve_name("dashboard.report:report_of")(parsed.data, dataset, report, model, bar)
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
    with Bar() as bar:
        return load_dataset(
            parsed.data,
            items=parsed.items,
            users=parsed.users,
            hints=hints_of(parsed),
            cleaning=cleaning_of(parsed),
            accept_licence=parsed.accept_licence,
            progress=bar.show_bytes,
        )


def _fit(parsed: argparse.Namespace, dataset: Dataset, options: FitOptions) -> Model:
    """Fit a model, with a progress bar."""
    side = SideInformation.of(dataset) if options.uses_side_information else None
    with Bar() as bar:
        return fit(
            dataset.ratings, options, seed=parsed.seed, side=side, n_threads=parsed.threads, callback=bar.show_sweep
        )


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
