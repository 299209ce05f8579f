"""The arguments of a command that reads files in the same way, whatever would be guessed from them."""

from __future__ import annotations

from collections.abc import Mapping

from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.columns import ColumnMapping
from nnm_core.phrases import as_text


def shell_arguments(
    mapping: ColumnMapping, cleaning: Cleaning, sides: Mapping[str, str], *, name_file: bool
) -> tuple[str, ...]:
    """Return the arguments that follow a mapping and decisions about doubtful rows.

    ``sides``: the paths of the files about items and users, by the flags that name them. ``name_file``: whether there
    are several tables, so that the one with the ratings has to be named.

    >>> from nnm_core.datasets.columns import RatingColumns
    >>> mapping = ColumnMapping(RatingColumns(("who", "film", "stars"), "who", "film", "stars"))
    >>> " ".join(shell_arguments(mapping, Cleaning(missing=(0.0,)), {"--items": "films.csv"}, name_file=False))
    '--columns who film stars --items films.csv --missing 0'
    """
    file = ("--file", mapping.ratings.file) if name_file else ()
    paths = [part for flag, path in sides.items() for part in (flag, path)]
    return (*_column_arguments(mapping), *file, *paths, *_cleaning_arguments(cleaning))


def _column_arguments(mapping: ColumnMapping) -> tuple[str, ...]:
    """Return what to add to a command so that the ratings are read in the same way, whatever would be guessed."""
    ratings = mapping.ratings
    traits = mapping.users.traits if mapping.users is not None and mapping.users.file == ratings.file else ()
    if ratings.layout == "long":
        one_person = ("--one-person",) if ratings.one_person else ()
        columns = filter(None, (ratings.user, ratings.item, ratings.rating))
        return (*one_person, "--columns", *columns, *(("--traits", *traits) if traits else ()))
    used = {ratings.user, *traits, *ratings.item_columns}
    drop = [name for name in ratings.columns if name not in used]
    parts = (("--columns", [ratings.user] if ratings.user else []), ("--traits", traits), ("--drop", drop))
    said = [part for flag, names in parts if names for part in (flag, *names)]
    return ("--transpose" if ratings.transposed else "--wide", *said)


def _cleaning_arguments(cleaning: Cleaning) -> tuple[str, ...]:
    """Return what to add to a command so that the same becomes of doubtful rows."""
    usual, scale = Cleaning(), cleaning.scale
    values = {
        "--scale": () if scale is None else (scale.lowest, scale.highest, scale.step),
        "--missing": cleaning.missing,
        "--duplicates": () if cleaning.duplicates == usual.duplicates else (cleaning.duplicates,),
        "--min-user-ratings": () if cleaning.min_user_ratings == 1 else (cleaning.min_user_ratings,),
        "--min-item-ratings": () if cleaning.min_item_ratings == 1 else (cleaning.min_item_ratings,),
        "--bins": () if cleaning.n_bins is None else (cleaning.n_bins,),
    }
    return tuple(part for flag, given in values.items() if given for part in (flag, *map(as_text, given)))
