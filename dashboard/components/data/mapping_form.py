"""The form that says how a file is written and which column means what, filled with the guess."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.compute import store
from dashboard.wording import counted, md
from nnm_core.datasets import Cleaning, Dialect, Hints, ItemColumns, RatingColumns, TableSample, UserColumns
from nnm_core.datasets.cleaning import sniff_offers
from nnm_core.datasets.guessing.roles import guess_ratings
from nnm_core.datasets.guessing.wide import RatingGuess
from nnm_core.datasets.reading.readers import sniff_table
from nnm_core.datasets.reading.sources import SourceFile
from nnm_core.errors import NnmError
from nnm_core.phrases import distinct, shortened
from nnm_core.scale import Scale, written

_ROWS = 6
_COLUMNS = 40
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_DELIMITERS |= {":": "colons", "::": "double colons", " ": "spaces"}
_ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16": "Unicode (UTF-16)",
    "cp1252": "Western Europe (Windows-1252)",
    "latin-1": "Western Europe (Latin-1)",
    "iso-8859-15": "Western Europe (Latin-9)",
    "cp1250": "Central Europe (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "shift_jis": "Japanese (Shift JIS)",
    "euc-kr": "Korean (EUC-KR)",
}
_NONE = ""
_MOST_COLUMNS = 500
_LAYOUTS = {
    "long": "one rating",
    "wide": "one person, with a column for every item",
    "transposed": "one item, with a column for every person",
}
_DUPLICATES = {"last": "the last one", "first": "the first one", "mean": "their mean"}


def show_file(guess: TableSample, file: SourceFile, *, wrong: bool = False) -> TableSample:
    """Show how a file begins; return the guess or, where people correct it (if ``wrong``, they must), what they say."""
    place = st.container()
    read = guess
    if guess.dialect is not None:
        with st.expander("The columns look wrong?", icon=":material/tune:", expanded=wrong):
            dialect = _dialect(guess.dialect, file.path)
        if dialect != guess.dialect:
            read = sniff_table(file, dialect)
    with place:
        st.markdown(f"**{md(file.path, 80)}** begins like this:")
        rows = [row[:_COLUMNS] for row in read.sample[:_ROWS]]
        frame = pd.DataFrame(rows, columns=list(read.columns[:_COLUMNS]))
        st.dataframe(frame, hide_index=True, width="stretch", key=f"preview-{file.path}")
    return read


def _dialect(guess: Dialect, file: str) -> Dialect:
    """Ask for delimiter, encoding and header, at the guess until somebody changes them."""
    st.caption("Say how the file is written; the rows above and the columns below follow at once.")
    first, second = st.columns(2)
    delimiters, encodings = (
        list(texts) if value in texts else [value, *texts]
        for texts, value in ((_DELIMITERS, guess.delimiter), (_ENCODINGS, guess.encoding))
    )
    delimiter = first.selectbox(
        "Columns are separated by",
        delimiters,
        index=delimiters.index(guess.delimiter),
        format_func=lambda mark: _DELIMITERS.get(mark, f"“{mark}”"),
        accept_new_options=True,
        key=f"delimiter-{file}",
        help="Choose one, or type any other sign.",
    )
    encoding = second.selectbox(
        "The text is written in",
        encodings,
        index=encodings.index(guess.encoding),
        format_func=lambda name: _ENCODINGS.get(name, name),
        key=f"encoding-{file}",
        help="Choose another one where letters such as é or ш look wrong.",
    )
    header = st.checkbox("The first row names the columns", guess.header, key=f"header-{file}")
    read = replace(guess, encoding=encoding, header=header)
    if delimiter != guess.delimiter:
        read = replace(read, delimiter=delimiter, quote='"' if delimiter in ",;" else "", escape="", item_blocks=False)
    return read


def ratings(table: TableSample, guess: RatingGuess | None) -> tuple[RatingColumns | None, UserColumns | None]:
    """Ask where people, items and ratings stand, and what else is about the people; all at the guess at first.

    None in place of the ratings as long as there is neither guess nor word.
    """
    st.subheader("Which column is what?", anchor=False)
    found = None if guess is None else guess.ratings
    guessed = "long" if found is None else "transposed" if found.transposed else found.layout
    _at_guess("map-layout", (table.columns, guessed), guessed)
    layout = st.segmented_control(
        "A row holds", list(_LAYOUTS), format_func=_LAYOUTS.__getitem__, required=True, key="map-layout"
    )
    if layout != "long":
        if layout != guessed:
            guess = _guess_wide(table, transposed=layout == "transposed")
        return _wide(table, guess)
    long = _long(table, found if guessed == "long" else None)
    traits = guess.users.traits if guess is not None and guess.users is not None and guessed == "long" else ()
    return long, None if long is None else _traits_beside(table, long, traits)


def _traits_beside(table: TableSample, found: RatingColumns, guess: Sequence[str]) -> UserColumns | None:
    """Ask which other columns say something about the people, in a table with one rating per row."""
    used = (found.user, found.item, found.rating, found.time)
    others = [name for name in table.columns if name not in used]
    if not others or found.one_person:
        return None
    likely, about = [name for name in guess if name in others], "The same in all rows of a person, such as gender."
    traits = _columns(st, "Traits of the people", others, likely, "map-beside", about)
    return UserColumns(table.columns, found.user, traits, table.dialect, table.file) if traits else None


def _long(table: TableSample, guess: RatingColumns | None) -> RatingColumns | None:
    """Ask for the columns of a table with one rating per row."""
    person, item, rating = st.columns(3)
    user = _column(person, "Person", table.columns, guess.user if guess else "", "map-user")
    thing = _column(item, "Item", table.columns, guess.item if guess else "", "map-item")
    value, none = guess.rating if guess else "", "none: a row only says “chosen”"
    value = _column(rating, "Rating", table.columns, value, "map-rating", none)
    is_one = not user and st.checkbox(
        "All rows are one person's ratings",
        key="map-one-person",
        help="From one person alone no stereotypes can be learned. To see your own taste, open ratings of many people "
        "and play the game on the page People.",
    )
    if not thing or not (user or is_one):
        st.caption("Choose the columns in which the people and the items stand.")
        return None
    time = guess.time if guess and guess.time not in (user, thing, value) else ""
    columns, dialect, file = table.columns, table.dialect, table.file
    return RatingColumns(columns, user, thing, value, dialect=dialect, file=file, time=time, one_person=is_one)


def _guess_wide(table: TableSample, *, transposed: bool) -> RatingGuess | None:
    """Return the guess about a table that somebody says is wide."""
    try:
        found = guess_ratings(table, Hints(wide=not transposed, transposed=transposed))
    except NnmError:
        return None
    return found if found.ratings.layout == "wide" else None


def _wide(table: TableSample, guess: RatingGuess | None) -> tuple[RatingColumns | None, UserColumns | None]:
    """Ask for the columns of a table with a row per person and a column per item, or the other way round."""
    if guess is None:
        st.caption("No column holds numbers that could be ratings of an item.")
        return None, None
    found, others = guess.ratings, "people" if guess.ratings.transposed else "items"
    first, second, third = st.columns(3)
    row = "Item" if found.transposed else "Person"
    user = _column(first, row, table.columns, found.user, "map-person", "none: rows are numbered")
    used = {found.user, *found.item_columns}
    aside = tuple(name for name in table.columns if name not in used)
    aside = _columns(second, f"Columns that are not {others}", table.columns, aside, "map-aside")
    traits = guess.users.traits if guess.users else ()
    if not found.transposed:
        traits = _columns(
            third, "Of these, traits of the people", aside, [n for n in traits if n in aside], "map-about"
        )
    left_out = {user, *aside}
    columns = tuple(name for name in table.columns if name not in left_out)
    if not columns:
        st.caption(f"No column is left for the {others}.")
        return None, None
    holds = "One column holds" if len(columns) == 1 else f"{len(columns):,} columns hold"
    one = "person" if found.transposed else "item"
    st.caption(f"{holds} the ratings of one {one} each. An empty cell means: not rated.")
    mapping = replace(found, user=user, item_columns=columns)
    beside = UserColumns(table.columns, user, traits, table.dialect, table.file)
    return mapping, beside if traits and not found.transposed else None


def items(found: ItemColumns) -> ItemColumns:
    """Ask which columns hold the items' ids, titles and tags."""
    st.subheader("About the items", anchor=False)
    first, second, third = st.columns(3)
    item = _column(first, "Item (as in the ratings)", found.columns, found.item, "map-item-id")
    title = _column(second, "Title", found.columns, found.title, "map-title", "none: the id stands for it")
    tags = _columns(third, "Tags", found.columns, found.tags, "map-tags")
    return replace(found, item=item, title=title, tags=tags)


def users(found: UserColumns) -> UserColumns:
    """Ask which columns hold the people's ids and traits."""
    st.subheader("About the people", anchor=False)
    first, second = st.columns(2)
    user = _column(first, "Person (as in the ratings)", found.columns, found.user, "map-user-id")
    traits = _columns(second, "Traits", found.columns, found.traits, "map-traits")
    return replace(found, user=user, traits=traits)


def not_rated(file: SourceFile, found: RatingColumns, upload: str) -> tuple[float, ...] | None:
    """Ask about ratings that look as if they meant "seen, not rated"; return those to leave out.

    None as long as a question is open: either answer would change the data, so none is taken for granted.
    """
    offers = store.derived(("offers", upload, found), lambda: sniff_offers(file, found))
    answers = []
    for offer in offers:
        value = written(offer.value)
        with st.container(border=True):
            st.markdown(
                f"**Does {value} mean “seen, not rated”?** It stands there {counted(offer.count, 'time')}, and "
                f"{md(offer.why, 300)}."
            )
            texts = {
                True: f"Yes: {value} is no rating, leave it out",
                False: f"No: {value} is a rating like the others, keep it",
            }
            key, label, shown = f"missing-{offer.value:g}", f"What {value} means", texts.__getitem__
            answers.append(st.radio(label, list(texts), None, shown, key, label_visibility="collapsed"))
    if None in answers:
        return None
    return tuple(offer.value for offer, left_out in zip(offers, answers, strict=True) if left_out)


def cleaning(left_out: tuple[float, ...]) -> Cleaning:
    """Ask what to do with rows that have problems; ``left_out``: ratings that are none, as was said before."""
    with st.expander("Rows with problems"):
        first, second, third = st.columns(3)
        duplicates = first.selectbox(
            "Rated twice: keep", list(_DUPLICATES), format_func=lambda key: _DUPLICATES[key], key="map-duplicates"
        )
        fewest_users = second.number_input("Fewest ratings of a person", 1, 1000, 1, key="map-min-user")
        fewest_items = third.number_input("Fewest ratings of an item", 1, 1000, 1, key="map-min-item")
        hint = "for example −1 or 0; several with spaces"
        missing = st.text_input("Other ratings that mean “not rated”", key="map-missing", placeholder=hint)
        low, high, step = st.columns(3)
        lowest = low.number_input("Lowest possible rating", value=None, key="map-low", placeholder="as found")
        highest = high.number_input("Highest possible rating", value=None, key="map-high", placeholder="as found")
        is_given = lowest is not None and highest is not None
        hint = "1" if is_given else "as found"
        width = step.number_input(
            "Step between ratings", 0.0, value=None, key="map-step", placeholder=hint, disabled=not is_given
        )
        if (lowest is None) != (highest is None):
            st.caption("The scale stays as found until both its lowest and its highest rating are given.")
        levels = st.number_input(
            "Levels to put ratings into",
            2,
            100,
            value=None,
            key="map-bins",
            placeholder="none: ratings stay as they are",
            disabled=is_given,
            help="For ratings without even steps, such as 3.14: the range from the lowest to the highest is divided "
            "into so many equal parts, and a rating becomes the number of its part.",
        )
    scale = None
    if lowest is not None and highest is not None:
        scale = Scale(float(lowest), float(highest), 1.0 if width is None else float(width))
    return Cleaning(
        missing=(*left_out, *_numbers(missing)),
        duplicates=duplicates,  # type: ignore[arg-type]
        min_user_ratings=int(fewest_users),
        min_item_ratings=int(fewest_items),
        scale=scale,
        n_bins=None if levels is None or scale is not None else int(levels),
    )


def _numbers(text: str) -> tuple[float, ...]:
    found = []
    for part in text.replace(",", " ").replace(";", " ").split():
        try:
            found.append(float(part.replace("−", "-")))
        except ValueError:
            st.caption(f"“{shortened(part, 20)}” is no number and was passed over.")
    return tuple(found)


def _at_guess(key: str, basis: Hashable, guess: Any) -> None:
    """Put a widget at the guess, unless it was put there for the same ``basis`` and somebody may have changed it."""
    guessed_from = session.state().guessed_from
    if key not in st.session_state or guessed_from.get(key) != basis:
        guessed_from[key] = basis
        st.session_state[key] = guess


def _column(place: Any, label: str, columns: Sequence[str], guess: str, key: str, none: str = "") -> str:
    """Draw a select box over the columns, at the guess; with ``none`` it may also stay open."""
    options = [*([_NONE] if none or not guess else []), *columns[:_MOST_COLUMNS]]
    options += [guess] if guess and guess not in options else []
    _at_guess(key, (columns, guess), guess if guess in options else options[0])
    return str(place.selectbox(label, options, format_func=_apart(options, none or "choose a column"), key=key))


def _columns(
    place: Any, label: str, columns: Sequence[str], guess: Sequence[str], key: str, about: str | None = None
) -> tuple[str, ...]:
    """Draw a multiselect over the columns, at the guess."""
    offered = list(columns[:_MOST_COLUMNS])
    _at_guess(key, (columns, guess), [name for name in guess if name in offered])
    return tuple(place.multiselect(label, offered, key=key, format_func=_apart(offered), help=about))


def _apart(columns: Sequence[str], none: str = "") -> Callable[[str], str]:
    """Return what to call each column, no two alike: Streamlit tells options apart by what people read."""
    texts = distinct(shortened(name) if name else none for name in columns)
    return dict(zip(columns, texts, strict=True)).__getitem__
