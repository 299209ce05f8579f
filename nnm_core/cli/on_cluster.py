"""``nnm fit --cluster``: fit a folder or bucket of parts on the workers of a cluster."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path

from nnm_core.cli.arguments import cleaning_of, cluster, hints_of
from nnm_core.cli.output import Bar, summarise, warn_of_guesses
from nnm_core.cluster import fit_parts
from nnm_core.cluster.spread import RATINGS_PER_PARTITION, LoadedParts
from nnm_core.options import FitOptions
from nnm_core.phrases import counted
from nnm_core.storage import save_model


def fit_on_cluster(parsed: argparse.Namespace, options: FitOptions) -> None:
    """Fit a model to a folder or bucket of parts, store it if asked to, and print a summary."""
    began, bar, checkpoint, own = time.perf_counter(), Bar(), parsed.checkpoint, None
    if checkpoint is None and parsed.output and parsed.cluster.startswith("local:"):
        checkpoint = own = Path(f"{parsed.output.absolute()}.checkpoint")
    with cluster(parsed.cluster) as client:
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
            on_loaded=_warn_of_parts,
        )
    bar.close()
    if parsed.output:
        save_model(model, parsed.output)
    if own is not None:
        with suppress(OSError):  # it may hold the checkpoints of another fit
            own.rmdir()
    print(f"{parsed.data}: fitted in {time.perf_counter() - began:.2f} s")
    print(summarise(model))
    print(f"\nStored in {parsed.output}." if parsed.output else "\nNot stored; add -o FILE to keep it.")


def _warn_of_parts(loaded: LoadedParts) -> None:
    """Print on the error stream how columns were found, and which rows of which part were left out."""
    warn_of_guesses(loaded.notes)
    for path, dropped in loaded.dropped:
        example = f" ({dropped.examples[0]})" if dropped.examples else ""
        print(f"{path}: left out {counted(dropped.count, 'row')}: {dropped.reason}{example}", file=sys.stderr)
