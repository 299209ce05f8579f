"""Every name that stereotypes get, with the films to recognise them by, and how many named leanings hold elsewhere.

The people are halved at random. Each half is fitted from one start and put into words, and each leaning that the names
mention is looked up in the matching stereotype of the other half. What a claim needs was chosen on other splits.

python benchmarks/names.py --data FOLDER [--starts 8] [--splits 2] [--only bundled]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nnm_core import Model, fit, preset
from nnm_core.datasets import Dataset, load_dataset
from nnm_core.interpret.text import Replicated, replicate, write_portraits
from nnm_core.phrases import shortened

DIMENSIONS = range(2, 9)
FIRST_SPLIT = 100  # seeds from 10 to 13 were used to choose what a claim needs
LONGEST = 32  # characters of a title in the list
OTHER_TITLES = re.compile(r" \((?!\d{4}\))[^()]*\)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k and ml-1m in it")
    parser.add_argument("--starts", type=int, default=8, help="random starts of the fits that are named")
    parser.add_argument("--splits", type=int, default=2, help="times that the people are halved")
    parser.add_argument("--only", help="bundled, ml-100k or ml-1m")
    arguments = parser.parse_args()
    for name in ("bundled", "ml-100k", "ml-1m"):
        if arguments.only in (None, name):
            dataset, _ = load_dataset(name if name == "bundled" else arguments.data / name)
            print_data_set(name, dataset, arguments.starts, arguments.splits)


def print_data_set(name: str, dataset: Dataset, starts: int, splits: int) -> None:
    """Print the names for every number of stereotypes, and how many leanings hold in the other half."""
    held: dict[int, list[Replicated]] = {}
    print(f"\n## {name}\n")
    for dimension in DIMENSIONS:
        print_names(fitted(dataset, dimension, starts), dataset)
        seeds = range(FIRST_SPLIT, FIRST_SPLIT + splits)
        held[dimension] = [one for seed in seeds for one in replicated(dataset, dimension, seed)]
    print("\n### How many hold, by the number of stereotypes")
    print("\n| D | themes in names | hold | themes in names and texts | hold | films | hold |")
    print("|---|---|---|---|---|---|---|")
    for dimension, found in [*held.items(), ("all", [one for part in held.values() for one in part])]:
        themes, films = ([one for one in found if one.kind == kind] for kind in ("theme", "item"))
        named = [one for one in themes if one.in_name]
        print(f"| {dimension} | {counts(named)} | {counts(themes)} | {counts(films)} |", flush=True)


def print_names(model: Model, dataset: Dataset) -> None:
    """Print one line per stereotype."""
    print(f"\n### {model.n_stereotypes} stereotypes\n\n| share | name | known by |\n|---|---|---|")
    for portrait in write_portraits(model, dataset)[: model.n_stereotypes]:
        films = () if portrait.is_named_after_items else portrait.titles
        known_by = "; ".join(shortened(OTHER_TITLES.sub("", title), LONGEST) for title in films)
        print(f"| {portrait.share:.0%} | {portrait.name} | {known_by} |", flush=True)


def replicated(dataset: Dataset, dimension: int, seed: int) -> list[Replicated]:
    """Return what each half says of its stereotypes, checked in the other half."""
    in_first = np.random.default_rng(seed).random(dataset.ratings.n_users) < 0.5
    halves = []
    for people in (in_first, ~in_first):
        part = dataset.subset(people[dataset.ratings.users])
        halves.append((fitted(part, dimension), part))
    return replicate(halves[0], halves[1]) + replicate(halves[1], halves[0])


def fitted(dataset: Dataset, dimension: int, starts: int = 1) -> Model:
    """Return the best of several fits with the recommended options."""
    return fit(dataset.ratings, preset("recommended", n_stereotypes=dimension), starts=starts)


def counts(found: Sequence[Replicated]) -> str:
    """Return two cells of a table: how many there are, and the share that holds."""
    return f"{len(found)} | {np.mean([one.holds for one in found]):.0%}" if found else "0 |"


if __name__ == "__main__":
    main()
