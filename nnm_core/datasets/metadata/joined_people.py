"""What stands about people in further columns of the ratings' table, as where tables were joined before export."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from nnm_core.datasets.columns import Column, UserColumns, encode_column
from nnm_core.datasets.reading.tables import Table
from nnm_core.datasets.report import Finding, ImportLog
from nnm_core.phrases import counted

_MAX_VARYING = 0.05  # of the people may have several values of a trait, of which the first counts


def one_row_per_person(table: Table, mapping: UserColumns, log: ImportLog) -> tuple[Table, UserColumns]:
    """Return the first row of each person, and the mapping without columns that differ from rating to rating."""
    people, _ = encode_column(table.columns[mapping.user]).strip()
    steady = []
    for name in mapping.traits:
        n_varying, n_people = _count_varying(people, encode_column(table.columns[name]))
        if n_varying > _MAX_VARYING * n_people:
            log.add(Finding.TRAIT_VARIES, column=name, people=counted(n_varying, "person", "people"))
        else:
            steady.append(name)
    codes, first = np.unique(people.codes, return_index=True)
    rows = pa.array(first[codes >= 0])
    columns = {name: table.columns[name].take(rows) for name in (mapping.user, *steady)}
    return replace(table, n_rows=len(rows), columns=columns), replace(mapping, traits=tuple(steady))


def _count_varying(people: Column, trait: Column) -> tuple[int, int]:
    """Return how many people have several values of a trait, and how many have any."""
    given = (people.codes >= 0) & (trait.codes >= 0)
    pairs = np.unique(np.stack([people.codes[given], trait.codes[given]]), axis=1)
    _, n_values = np.unique(pairs[0], return_counts=True)
    return int(np.count_nonzero(n_values > 1)), len(n_values)
