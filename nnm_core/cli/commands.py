"""The commands of ``nnm``; every function takes the parsed arguments and returns the exit code."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from nnm_core.cli.terminal import Bar, describe_stereotypes, score_table, summary, warn
from nnm_core.datasets import Cleaning, ColumnMapping, Dataset, ImportReport, describe, diagnose, load_dataset, sniff
from nnm_core.datasets.catalogue import find_local
from nnm_core.errors import InputError
from nnm_core.evaluation import Evaluation, cross_validate, own_folds, random_folds, single_split
from nnm_core.evaluation.peers import SURPRISE
from nnm_core.evaluation.reproduction import reproduce
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.options import FitOptions, for_seen_only, preset
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.storage import check_writable, load_model, save_model
from nnm_core.types import BoolArray


def run_fit(parsed: argparse.Namespace) -> int:
    """Fit a model, store it if asked to, and print a summary."""
    options = _options(parsed)
    if parsed.output:
        check_writable(parsed.output)
    dataset, report = _load(parsed)
    warn(report)
    if dataset.implicit:
        options = for_seen_only(options)
        print("Nobody gave ratings: whatever was not seen counts as zero in every round.", file=sys.stderr)
    n_people = dataset.ratings.n_users
    if options.n_stereotypes > n_people:
        there = f"There {'is' if n_people == 1 else 'are'} only {counted(n_people, 'person', 'people')}"
        print(f"{there}: more stereotypes than that describe nobody.", file=sys.stderr)
    why_not = diagnose(dataset, report)
    if why_not:
        print(f"Nothing can be learned from these data. {why_not}", file=sys.stderr)
    bar = Bar()
    began = time.perf_counter()
    side = SideInformation.of(dataset) if options.method == "distilled" else None
    model = fit(
        dataset.ratings, options, seed=parsed.seed, side=side, n_threads=parsed.threads, callback=bar.show_sweep
    )
    seconds = time.perf_counter() - began
    bar.close()
    if parsed.output:
        save_model(model, parsed.output)
    print(f"{dataset.name}: {counted(len(dataset.ratings), 'rating')}, fitted in {seconds:.2f} s")
    print(summary(model))
    print("\n" + describe_stereotypes(model, dataset))
    where = f"Stored in {parsed.output}." if parsed.output else "Not stored; add -o FILE to keep it."
    print(f"\n{where}")
    return 0


def run_info(parsed: argparse.Namespace) -> int:
    """Print a summary of a stored model."""
    model = load_model(parsed.model)
    print(f"{parsed.model}: {parsed.model.stat().st_size:,} bytes")
    print(summary(model))
    print(f"ratings    {model.data_hash[:16]}… (content hash)")
    return 0


def run_evaluate(parsed: argparse.Namespace) -> int:
    """Cross-validate, and print a table or a JSON object."""
    options = _options(parsed)
    dataset, report = _load(parsed)
    if dataset.implicit:
        raise InputError(
            f"{dataset.name} says only who saw what, and every rating is 1: an error in stars would always be 0. "
            "Name the column of the ratings with --columns, or look at lists with benchmarks/ranking.py."
        )
    warn(report)
    bar = Bar()
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
    print(f"{dataset.name}: {score_table(evaluation)}")
    return 0


def run_reproduce(parsed: argparse.Namespace) -> int:
    """Write the report on the paper's numbers and figures."""
    peers = SURPRISE if parsed.peers is None else parsed.peers
    path = reproduce(
        parsed.data, parsed.output, n_folds=parsed.folds, peers=peers, slow=parsed.slow, say=partial(print, flush=True)
    )
    print(f"Written to {path}.")
    return 0


def run_inspect(parsed: argparse.Namespace) -> int:
    """Describe a data set and its import."""
    print(describe(*_load(parsed)))
    return 0


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
    bar = Bar()
    loaded = load_dataset(
        parsed.data,
        _mapping(parsed),
        items=parsed.items,
        users=parsed.users,
        cleaning=cleaning,
        accept_licence=parsed.accept_licence,
        progress=bar.show_bytes,
    )
    bar.close()
    return loaded


def _mapping(parsed: argparse.Namespace) -> ColumnMapping | None:
    """Return the guessed mapping with the columns that the arguments name; None where they name none."""
    if not parsed.columns:
        return None
    if not 2 <= len(parsed.columns) <= 3:
        raise InputError(
            "--columns takes the names of two or three columns: users, items and, if there are any, ratings."
        )
    guess = sniff(parsed.data, items=parsed.items, users=parsed.users).mapping
    user, item, rating = (*parsed.columns, "")[:3]
    columns = replace(guess.ratings, user=user, item=item, rating=rating, layout="long", item_columns=())
    return replace(guess, ratings=columns)


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
