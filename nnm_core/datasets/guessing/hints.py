"""What a person says about the columns of the ratings before the rest is guessed."""

from __future__ import annotations

from dataclasses import dataclass

from nnm_core.errors import InputError


@dataclass(frozen=True, slots=True)
class Hints:
    """What a person says about the columns of the ratings; the rest is guessed.

    ``columns``: those of people, items and ratings; if all rows are ``one_person``'s, those of items and ratings; in a
    ``wide`` table that of people, in a ``transposed`` one that of items. ``traits``: columns about the
    people. ``drop``: columns that are not used. ``file``: which file of a folder or archive, sheet of a workbook
    or table of a database has the ratings; the end of its path is enough.
    """

    columns: tuple[str, ...] = ()
    one_person: bool = False
    wide: bool = False
    transposed: bool = False
    traits: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    file: str = ""

    def __post_init__(self) -> None:
        if self.one_person and self.is_wide:
            raise InputError("One person's ratings are a table with one rating per row, not a wide one.")
        fewest, most = (1, 1) if self.is_wide else (1, 2) if self.one_person else (2, 3)
        if self.columns and not fewest <= len(self.columns) <= most:
            who = "the one that names the rows" if self.is_wide else "items" if self.one_person else "users, items"
            raise InputError(
                f"--columns takes the names of {'one column' if most == 1 else f'{fewest} or {most} columns'}: {who}"
                + ("." if self.is_wide else " and, if there are any, ratings.")
            )

    @property
    def is_wide(self) -> bool:
        """Whether the table is known to have a row per person or per item."""
        return self.wide or self.transposed


NO_HINTS = Hints()
