"""Tags, or traits of people, ordered by inclusion.

A tag is included in another at ε if whoever likes the first also likes the second, up to a share ε. The paper compares
probabilities of liking (``tag_hierarchy``). By taste (``taste_hierarchy``) one compares leanings: how much more than
the audience each stereotype likes a tag. ``inclusion`` computes the smallest such ε of every pair, its *birth*, once;
``Hierarchy.at`` then gives the graph at any ε, an ``Order``, fast enough for a slider. ``graph`` finds classes of equal
tags, layers and the transitive reduction, and writes graphs for other programs. ``screening`` leaves out what is too
uncertain to be ordered and chooses the ε at which to open.
"""

from nnm_core.interpret.hierarchy.graph import Order, edge_table, graph_text
from nnm_core.interpret.hierarchy.inclusion import (
    By,
    Hierarchy,
    Witness,
    hierarchy_of,
    tag_hierarchy,
    taste_hierarchy,
    trait_hierarchy,
)
from nnm_core.interpret.hierarchy.screening import (
    Screened,
    all_inclusive,
    count_overlap,
    opening_epsilon,
    screen_tags,
    screen_taste,
    screen_traits,
)

__all__ = [
    "By", "Hierarchy", "Order", "Screened", "Witness", "all_inclusive", "count_overlap", "edge_table", "graph_text",
    "hierarchy_of", "opening_epsilon", "screen_tags", "screen_taste", "screen_traits", "tag_hierarchy",
    "taste_hierarchy", "trait_hierarchy",
]  # fmt: skip
