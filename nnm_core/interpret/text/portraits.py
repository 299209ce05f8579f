"""Stereotypes in words: for each a name, unlike all others, the items to recognise it by, and a sentence or two."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.interpret.audience import shares
from nnm_core.interpret.text.claims import Claims, find_claims
from nnm_core.interpret.themes import Themes, find_themes
from nnm_core.interpret.towers import Generosity, generosity
from nnm_core.model import FIXED_NAMES, Model
from nnm_core.phrases import counted, listed, percent, quoted, quoted_name, rating_in_words, title_in_words
from nnm_core.types import BoolArray

SMALL = 0.03  # stereotypes with a smaller share of the audience are mentioned together, unless most are so small
_SHOWN = 2  # items to show under a name
_MOST_THEMES = 3  # named on either side of a sentence
_IN_NAMES = 28  # characters of a title within a name
_REMARKS = re.compile(r"(?<=\S)(\s*\([^()]*\))+$")  # a year and other titles in brackets, which a name does without
_SAME = 0.5  # of the ratings of a theme: if so many are of another's items, a name does not mention both


@dataclass(frozen=True, slots=True)
class Portrait:
    """A stereotype in words.

    ``stereotype``: its column. ``text``: one or two sentences. ``themes``, ``mentioned``: the rows of the themes that
    the name and the text mention, see ``find_themes``. ``items``, ``titles``: the rows and titles of at most two items
    to recognise it by; ``is_named_after_items``: the name mentions them.
    ``claims``: what all this rests on; ``None`` where nothing is claimed. ``is_habit``: it is the enthusiast or the
    skeptic.
    """

    stereotype: int
    name: str
    text: str
    share: float
    claims: Claims | None
    themes: tuple[int, ...] = ()
    mentioned: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    titles: tuple[str, ...] = ()
    is_named_after_items: bool = False
    is_habit: bool = False

    @property
    def share_in_words(self) -> str:
        """Its share: "41% of the audience"."""
        return f"{percent(self.share)} of the audience"


@dataclass(frozen=True, slots=True)
class _Name:
    """A name for a stereotype and the themes or items that it mentions."""

    text: str
    themes: tuple[int, ...] = ()
    items: tuple[int, ...] = ()


def write_portraits(model: Model, dataset: Dataset, *, firm: BoolArray | None = None) -> tuple[Portrait, ...]:
    """Put every stereotype into words, the enthusiast and the skeptic last.

    Of the data set's tags only those that are ``firm`` (n_tags, n_stereotypes), see ``Stability.is_firm``, are named.

    >>> write_portraits(model, dataset)[2].text
    'Likes romances more than others do, and horror less.'
    """
    themes = find_themes(dataset)
    found = find_claims(model, dataset, themes, firm=firm)
    names = _find_names(found, themes, dataset)
    given = model.given_names or ("",) * model.n_stereotypes
    texts = _distinct_names([name.text for name in names], given)
    portraits = []
    for claim, name, text in zip(found, names, texts, strict=True):
        items = _to_show(claim, name.themes, themes)
        portraits.append(
            Portrait(
                claim.stereotype,
                text,
                _text(claim, themes, model, dataset),
                claim.share,
                claim,
                name.themes,
                (*_to_mention(claim.likes, themes), *_to_mention(claim.avoids, themes)),
                items,
                tuple(title_in_words(dataset.titles[row]) for row in items),
                bool(name.items),
            )
        )
    return (*portraits, *_habits(model))


def unnamed_portraits(model: Model, text: str) -> tuple[Portrait, ...]:
    """Return portraits that claim nothing about taste: a given name or else a number, the share, and this text.

    >>> unnamed_portraits(model, "What sets it apart could be chance.")[1].name
    'Stereotype 2'
    """
    n = model.n_stereotypes
    given = model.given_names or ("",) * n
    names = _distinct_names([f"Stereotype {k + 1}" for k in range(n)], given)
    tastes = [Portrait(k, names[k], text, share, None) for k, share in enumerate(shares(model)[:n].tolist())]
    return (*tastes, *_habits(model))


def stereotype_names(model: Model, dataset: Dataset) -> tuple[str, ...]:
    """Return a name for every column of the model: given names where there are any, found ones else.

    >>> stereotype_names(model, dataset)
    ('Horror', 'Family films', 'Romances')
    """
    return tuple(portrait.name for portrait in write_portraits(model, dataset))


def with_names(model: Model, names: Mapping[int, str]) -> Model:
    """Return the model with these names for stereotypes of taste; an empty name takes a given one back.

    >>> stereotype_names(with_names(model, {0: "Night owls"}), dataset)
    ('Night owls', 'Family films', 'Romances')
    """
    given = list(model.given_names or ("",) * model.n_stereotypes)
    for stereotype, name in names.items():
        if not 0 <= stereotype < model.n_stereotypes:
            raise InputError(
                f"There is no stereotype of taste number {stereotype}; the model has 0 to {model.n_stereotypes - 1}."
            )
        given[stereotype] = " ".join(name.split())
    return replace(model, given_names=tuple(given) if any(given) else None)


def list_stereotypes(portraits: Sequence[Portrait]) -> str:
    """Return the stereotypes of taste with their shares, the small ones together.

    >>> list_stereotypes(write_portraits(model, dataset))
    '“Horror” (33%), “Family films” (33%) and “Romances” (33%)'
    """
    large, small = split_small(portraits)
    parts = [f"{quoted_name(one.name)} ({percent(one.share)})" for one in large]
    if small:
        parts.append(f"{counted(len(small), 'small group')} ({percent(sum(one.share for one in small))})")
    return listed(parts)


def split_small(portraits: Sequence[Portrait]) -> tuple[list[Portrait], list[Portrait]]:
    """Return the stereotypes of taste to mention by name, and those that are too small for that.

    Small ones have less than 3% of the audience, and less than half of what a stereotype has on average.
    """
    tastes = [portrait for portrait in portraits if not portrait.is_habit]
    average = sum(one.share for one in tastes) / max(len(tastes), 1)
    limit = min(SMALL, average / 2)
    return [one for one in tastes if one.share >= limit], [one for one in tastes if one.share < limit]


def _find_names(found: Sequence[Claims], themes: Themes, dataset: Dataset) -> list[_Name]:
    """Return one name per stereotype; no theme is in two of them.

    A theme belongs to the stereotype that favours it most. Stereotypes without such a theme are named after another
    that they favour, one that they like least of all, or an item, in this order, if that is still free.
    """
    if len(found) == 1:
        return [_Name("Common taste")]
    manners = [claim.manner for claim in found]
    names: dict[int, _Name] = {}
    taken: set[int] = set()

    def give(claim: Claims, choices: Sequence[int], form: str, word: str = "and") -> None:
        rows = _choose_themes([row for row in choices if row not in taken], themes, dataset)
        if rows and claim.stereotype not in names:
            phrase = form.format(themes.listed(rows, word))
            names[claim.stereotype] = _Name(phrase[0].upper() + phrase[1:], rows)
            taken.update(rows)

    for claim in found:
        if claim.manner in ("open", "strict") and manners.count(claim.manner) == 1:
            names[claim.stereotype] = _Name(_EVERYTHING[claim.manner, dataset.implicit])
    for claim in found:
        give(claim, claim.own, _form(claim, dataset))
    for claim in found:
        give(claim, claim.shared, _form(claim, dataset))
    for claim in found:
        give(claim, claim.own_avoids, "not keen on {}", "or")
    return [names.get(claim.stereotype) or _name_without_themes(claim, dataset) for claim in found]


_EVERYTHING = {
    ("open", False): "Generous with everything",
    ("open", True): "Chooses a bit of everything",
    ("strict", False): "Hard to please",
    ("strict", True): "Chooses little",
}


def _form(claim: Claims, dataset: Dataset) -> str:
    """Return the sentence that a name puts themes into."""
    if claim.manner == "open":
        return "generous, most of all with {}" if not dataset.implicit else "chooses a lot, most of all {}"
    if claim.manner == "strict":
        return "hard to please, less so with {}" if not dataset.implicit else "chooses little, but rather {}"
    return "{}"


def _choose_themes(choices: Sequence[int], themes: Themes, dataset: Dataset) -> tuple[int, ...]:
    """Return a theme with enough ratings and one more that is not nearly the same; at least one of two is a tag."""
    first = next((row for row in choices if themes.is_common[row]), None)
    if first is None:
        return ()
    has = themes.labels.member[:, list(choices)].toarray()
    counts = dataset.ratings.by_item.counts
    own = has[:, list(choices).index(first)]
    for k, row in enumerate(choices):
        both = counts[own & has[:, k]].sum()
        alike = both >= _SAME * min(counts[own].sum(), counts[has[:, k]].sum())
        if not alike and "tag" in (themes.kinds[row], themes.kinds[first]):
            return tuple(sorted((first, row), key=lambda one: themes.kinds[one] != "tag"))
    return (first,)


def _name_without_themes(claim: Claims, dataset: Dataset) -> _Name:
    items = claim.items[:_SHOWN]
    if not items:
        return _Name("No clear leaning")
    titles = [_REMARKS.sub("", title_in_words(dataset.titles[row])) for row in items]
    return _Name(f"Fan of {listed([quoted(title, _IN_NAMES) for title in titles])}", items=items)


def _distinct_names(names: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return the given name of each, or else the one that was found, with a number where it is taken."""
    taken = {own.casefold() for own in given if own} | {*FIXED_NAMES}
    result = []
    for name, own in zip(names, given, strict=True):
        unique, number = own or name, 2
        while not own and unique.casefold() in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique.casefold())
        result.append(unique)
    return result


def _to_show(claim: Claims, named: tuple[int, ...], themes: Themes) -> tuple[int, ...]:
    """Return at most two items to recognise a stereotype by: items of the themes in its name, if that says any."""
    if not claim.items or not named or claim.own_avoids[: len(named)] == named:
        return claim.items[:_SHOWN]
    fits = np.asarray(themes.labels.member[list(claim.items)][:, list(named)].sum(axis=1), dtype=np.int64).ravel()
    order = np.argsort(-fits, kind="stable")[:_SHOWN]
    return tuple(claim.items[place] for place in order if fits[place])


def _text(claim: Claims, themes: Themes, model: Model, dataset: Dataset) -> str:
    if model.n_stereotypes == 1:
        return "The only stereotype: there is nobody to compare it with."
    if not claim.has_people:
        return "Too few people lean to it to say what they like."
    return " ".join(part for part in (_taste_sentence(claim, themes, dataset), _given_sentence(claim, dataset)) if part)


def _taste_sentence(claim: Claims, themes: Themes, dataset: Dataset) -> str:
    verb = "Chooses" if dataset.implicit else "Likes"
    likes, avoids = (themes.listed(_to_mention(rows, themes)) if rows else "" for rows in (claim.likes, claim.avoids))
    if claim.manner in ("open", "strict"):
        most, least = (likes, avoids) if claim.manner == "open" else (avoids, likes)
        above_all = f", above all {most}" if most else ""
        gap = f" The gap is smallest for {least}." if least else ""
        return f"{verb} everything {'more' if claim.manner == 'open' else 'less'} than others do{above_all}.{gap}"
    if likes and avoids:
        return f"{verb} {likes} more than others do, and {avoids} less."
    if likes or avoids:
        return f"{verb} {likes or avoids} {'more' if likes else 'less'} than others do."
    if claim.items:
        titles = [quoted(title_in_words(dataset.titles[row])) for row in claim.items[:_SHOWN]]
        return f"What sets it apart: {listed(titles)}."
    return "Nothing in the ratings of the people who lean to it sets it clearly apart."


def _to_mention(rows: Sequence[int], themes: Themes) -> list[int]:
    """Return the first few themes, of which at most one says how well known items are."""
    known = [row for row in rows if themes.kinds[row] == "known"]
    return [row for row in rows if row not in known[1:]][:_MOST_THEMES]


def _given_sentence(claim: Claims, dataset: Dataset) -> str:
    """Say what its people gave, where that differs from what all gave."""
    if claim.generosity == "average" or dataset.implicit:
        return ""
    own, overall = (rating_in_words(value, dataset.ratings.scale) for value in (claim.gave, claim.all_gave))
    return f"People who lean to it gave {own} on average; all people gave {overall}."


def _habits(model: Model) -> list[Portrait]:
    """Return the portraits of the enthusiast and the skeptic, where the model has them."""
    return [
        Portrait(
            model.n_stereotypes + k, part.name.capitalize(), _habit_text(part, model), part.share, None, is_habit=True
        )
        for k, part in enumerate(generosity(model))
    ]


def _habit_text(part: Generosity, model: Model) -> str:
    what = "highest" if part.name == FIXED_NAMES[0] else "lowest"
    return f"Gives everything the {what} rating ({rating_in_words(part.rating, model.scale)}): a habit, not a taste."
