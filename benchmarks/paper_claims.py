"""What the paper says it sees in MovieLens 1M: after the paper's 16 iterations and converged, over 12 seeds.

python benchmarks/paper_claims.py --data FOLDER [--seeds 12]
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from machine import print_machine

from nnm_core import FitOptions, Model, fit, preset
from nnm_core.datasets import Dataset, load_dataset
from nnm_core.interpret.compare import compare_towers, fill_comparison, match_stereotypes, stereotype_distances
from nnm_core.interpret.hierarchy.inclusion import tag_hierarchy
from nnm_core.interpret.towers import compute_towers, tag_vectors

WAYS = {"16 iterations": {}, "converged": {"n_sweeps": 600, "tol": 1e-4, "momentum": True}}
FILL_SEEDS = 4
NEW_TASTE = ("Action", "Adventure", "Children's", "Fantasy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 1M, or one that holds ml-1m")
    parser.add_argument("--seeds", type=int, default=12)
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
    place = arguments.data / "ml-1m" if (arguments.data / "ml-1m").exists() else arguments.data
    dataset, _ = load_dataset(place)
    for name, rule in WAYS.items():
        print(f"\n{name}, {arguments.seeds} seeds")
        options = {n: preset("paper", n_stereotypes=n, **rule) for n in (2, 3, 8)}
        models = {
            n: [fit(dataset.ratings, one, seed=seed) for seed in range(arguments.seeds)] for n, one in options.items()
        }
        two_stereotypes(dataset, models[2])
        three_stereotypes(dataset, models[3])
        from_two_to_three(dataset, models[2], models[3])
        genres_that_include_all(dataset, models[8])
        effect_of_the_fill(dataset, options, models[3])


def two_stereotypes(dataset: Dataset, models: list[Model]) -> None:
    """One likes nearly everything; the other is high on Film-Noir and Documentary, low on Horror."""
    ranges, skeptics = [], []
    for model in models:
        bars = tag_vectors(model, dataset.tags)
        is_open = int(bars.mean(axis=0).argmax())
        ranges.append((bars[:, is_open].min(), bars[:, is_open].max()))
        skeptics.append(bars[rows(dataset, "Film-Noir", "Documentary", "Horror"), 1 - is_open])
    print(f"- D = 2: the open one from {span([low for low, _ in ranges])} to {span([high for _, high in ranges])};")
    print(f"  the other Film-Noir, Documentary, Horror: {', '.join(span(column) for column in np.transpose(skeptics))}")


def three_stereotypes(dataset: Dataset, models: list[Model]) -> None:
    """One has a taste for Action, Adventure, Children's and Fantasy, is cool on Documentary and dislikes Horror."""
    four, (documentary, horror) = rows(dataset, *NEW_TASTE), rows(dataset, "Documentary", "Horror")
    counts: Counter[str] = Counter()
    for model in models:
        towers = compute_towers(model, dataset)
        found = [k for k in range(3) if set(np.argsort(-towers.taste[:, k])[:4]) == set(four)]
        counts["one has just these four on top in taste"] += len(found) == 1
        one = int(towers.taste[four].sum(axis=0).argmax())
        counts["all four above 0 in taste"] += bool((towers.taste[four, one] > 0).all())
        counts["Documentary last in taste"] += towers.taste[:, one].argmin() == documentary
        counts["likes all four more than the audience"] += bool((towers.relative[four, one] > 0).all())
        counts["Horror among its six lowest bars"] += horror in np.argsort(towers.plain[:, one])[:6]
        counts["Horror below the audience"] += bool(towers.relative[horror, one] < 0)
        order = np.argsort(-towers.taste[:, one])
        counts["its taste: " + ", ".join(dataset.tags.names[k] for k in order[:5])] += 1
    for what, count in counts.items():
        print(f"- D = 3: {what}: {count}")


def from_two_to_three(dataset: Dataset, two: list[Model], three: list[Model]) -> None:
    """Two stay and one is new."""
    stayed, apart, farther = [], [], 0
    for before, after in zip(two, three, strict=True):
        distances = stereotype_distances(before, after, dataset.ratings)
        matches = match_stereotypes(distances)
        moved = distances[[0, 1], matches]
        (newcomer,) = {0, 1, 2} - set(matches.tolist())
        stayed += moved.tolist()
        apart.append(stereotype_distances(before, before, dataset.ratings)[0, 1])
        farther += bool(distances[:, newcomer].min() > moved.max())
    print(f"- D = 2 to 3: those that stay move by {span(stayed)}; the two were {span(apart)} apart;")
    print(f"  the newcomer is farther from both: {farther}")


def genres_that_include_all(dataset: Dataset, models: list[Model]) -> None:
    """D = 8 and ε = 1/3: which genres include every other one, and from which ε on."""
    counts: Counter[str] = Counter()
    last: dict[str, list[float]] = {tag: [] for tag in ("Film-Noir", "War", "Documentary")}
    for model in models:
        hierarchy = tag_hierarchy(model, dataset.tags)
        order = hierarchy.at(1 / 3)
        counts.update(tag for tag in order.tags if len(order.included(tag)) == len(order.tags) - 1)
        for tag, births in last.items():
            column = np.delete(hierarchy.births[:, hierarchy.tags.index(tag)], hierarchy.tags.index(tag))
            births.append(float(column.max()))
    print(
        "- D = 8, ε = 1/3, genres that include every other: " + ", ".join(f"{t} {n}" for t, n in counts.most_common())
    )
    print("  the ε from which they do: " + ", ".join(f"{tag} {span(births)}" for tag, births in last.items()))


def effect_of_the_fill(dataset: Dataset, options: dict[int, FitOptions], three: list[Model]) -> None:
    """How many pairs of genres keep their order without the zeros of the first iterations, and with zeros in all."""
    for n in (2, 3):
        found = [fill_comparison(dataset, options[n], seed=seed) for seed in range(FILL_SEEDS)]
        shifts = np.concatenate([one.shifts for one in found])
        print(f"- fill, D = {n}: order kept {span([one.structure_kept for one in found])}", end=", ")
        print(f"mean {np.mean([one.structure_kept for one in found]):.2f}, bars higher by {span(shifts)}")
    pairs = [compare_towers(three[0], other, dataset).structure_kept for other in three[1:]]
    print(f"  two seeds with the same fill, D = 3: mean {np.mean(pairs):.2f}")
    always = fill_comparison(dataset, options[2], throughout=True)
    popularity = dataset.tags.member.T @ dataset.ratings.by_item.counts / dataset.tags.counts
    ranks = [np.argsort(np.argsort(values)) for values in (popularity, *always.first.T)]
    correlations = [np.corrcoef(ranks[0], one)[0, 1] for one in ranks[1:]]
    print(f"- zeros throughout, D = 2: order kept {always.structure_kept:.2f}, bars higher by {span(always.shifts)}")
    print(f"  rank correlation with ratings per film: {span(correlations)}", flush=True)


def rows(dataset: Dataset, *tags: str) -> list[int]:
    return [dataset.tags.names.index(tag) for tag in tags]


def span(values: np.ndarray | list[float]) -> str:
    """The smallest and the largest value."""
    low, high = f"{np.min(values):.2f}", f"{np.max(values):.2f}"
    return low if low == high else f"{low}–{high}"


if __name__ == "__main__":
    main()
