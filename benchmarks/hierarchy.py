"""How long interpretation takes: towers and words, births and graphs of many tags, and stability in fits.

    python benchmarks/hierarchy.py [--data FOLDER]

networkx reduces the same graphs for comparison, as far as patience goes. Without ``--data`` the bundled data are used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from machine import print_machine

from nnm_core import fit, preset
from nnm_core.datasets import load_dataset
from nnm_core.interpret.compare import measure_stability, refits
from nnm_core.interpret.game import play
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of
from nnm_core.interpret.text.portraits import write_portraits
from nnm_core.interpret.towers import compute_towers
from nnm_core.interpret.traits import trait_vectors

REPEATS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with MovieLens 1M, or one that holds ml-1m")
    arguments = parser.parse_args()
    print_machine("numpy", "scipy", "networkx")
    graphs()
    models(arguments.data)


def graphs() -> None:
    print(f"\nbirths and graphs of random tag vectors over 8 stereotypes; best of {REPEATS}, milliseconds")
    print(f"{'tags':>6}{'ε':>6}{'edges':>9}{'classes':>9}{'births':>9}{'graph':>9}{'networkx':>10}")
    for n_tags in (18, 100, 1000):
        vectors = np.random.default_rng(0).beta(4, 2, (n_tags, 8))
        tags = [f"tag {k}" for k in range(n_tags)]
        for epsilon in (0.2, 0.25, 0.3, 0.4):
            birth, found = best(lambda v=vectors, t=tags: hierarchy_of(t, v))
            graph, order = best(lambda f=found, e=epsilon: f.at(e))
            theirs = (
                f"{1e3 * timed(lambda o=order: reduced_by_networkx(o)):10.0f}" if order.n_edges < 2e5 else "         –"
            )
            print(
                f"{n_tags:6}{epsilon:6.2f}{order.n_edges:9,}{len(order.classes):9,}"
                f"{1e3 * birth:9.1f}{1e3 * graph:9.1f}{theirs}"
            )


def models(folder: Path | None) -> None:
    source = "bundled" if folder is None else folder / "ml-1m" if (folder / "ml-1m").exists() else folder
    dataset, _ = load_dataset(source)
    fit(dataset.ratings, preset("recommended"))
    seconds, model = best(lambda: fit(dataset.ratings, preset("recommended")))
    print(f"\n{dataset.name}, recommended, D = 3; one fit takes {1e3 * seconds:.0f} ms")
    lines: list[tuple[str, Callable[[], Any]]] = [
        ("towers", lambda: compute_towers(model, dataset)),
        ("words", lambda: write_portraits(model, dataset)),
        ("traits", lambda: [trait_vectors(model, labels) for labels in dataset.traits.values()]),
        ("1,000 rounds of the game", lambda: play(model, dataset, dataset.tags.names[0], 0, 1000)),
        ("stability, 5 refits", lambda: measure_stability(refits(dataset.ratings, model, 5), dataset)),
    ]
    for name, work in lines:
        taken = best(work, 3)[0]
        print(f"{name:26}{1e3 * taken:9.1f} ms{taken / seconds:9.1f} fits")


def reduced_by_networkx(order: Any) -> nx.DiGraph:
    return nx.transitive_reduction(nx.condensation(order.graph()))


def best(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """The shortest of several runs in seconds, and what came out."""
    result = work()
    return min(timed(work) for _ in range(repeats)), result


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
