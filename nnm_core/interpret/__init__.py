"""What a fitted model means.

Start with ``compute_towers``: how much each stereotype likes each tag, absolutely and against the audience. Where there
are no tags, ``distinctive_items`` shows a stereotype by its items, and ``measure_item_chance`` says which of them are
more than chance. ``trait_vectors`` and ``trait_shares`` relate stereotypes to traits of people, ``nearest_people`` and
``nearest_items`` find what is alike, and ``play`` is the paper's game. These build on them:

- ``hierarchy``: tags and traits ordered by inclusion at ε;
- ``compare``: fits of the same ratings: refits, numbers of stereotypes, with and without the fill;
- ``side_by_side``: two views, which may be of different people or items; ``over_time``: shares over the years;
- ``text``: stereotypes and predictions in words.

Everything is a pure function from a ``Model`` and its ``Dataset`` to tables and arrays. All examples of this package
use the invented cinema:

>>> from nnm_core import datasets, fit
>>> dataset, _ = datasets.load_dataset("demo")
>>> model = fit(dataset.ratings)
>>> compute_towers(model, dataset).tags
('Comedy', 'Family', 'Horror', 'Romance', 'Thriller')
"""

from nnm_core.interpret.audience import evidence, nearest_items, nearest_people, shares, taste_shares
from nnm_core.interpret.exemplars import distinctive_items, distinctive_rows, item_taste, widely_known
from nnm_core.interpret.game import BobsTable, Game, bobs_table, play, play_with_stereotype
from nnm_core.interpret.item_chance import ItemChance, measure_item_chance
from nnm_core.interpret.towers import Generosity, Towers, compute_towers, generosity, tag_vectors
from nnm_core.interpret.traits import TraitShares, trait_shares, trait_vectors

__all__ = [
    "BobsTable", "Game", "Generosity", "ItemChance", "Towers", "TraitShares", "bobs_table", "compute_towers",
    "distinctive_items", "distinctive_rows", "evidence", "generosity", "item_taste", "measure_item_chance",
    "nearest_items", "nearest_people", "play", "play_with_stereotype", "shares", "tag_vectors", "taste_shares",
    "trait_shares", "trait_vectors", "widely_known",
]  # fmt: skip
