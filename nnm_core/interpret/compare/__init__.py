"""Models of the same ratings, side by side.

Stereotypes have no fixed order, so two models are compared by matching: ``stereotype_distances`` says how differently
two stereotypes see the items, ``match_stereotypes`` finds the best one-to-one matching, and ``audience_flows`` where
the people of a stereotype are in another model, such as one with one more stereotype. ``measure_stability`` compares
fits from several random starts (``refits``): what all agree on can be trusted. ``fill_comparison`` shows what counting
unknown ratings as zeros does to the towers.
"""

from nnm_core.interpret.compare.alignment import audience_flows, match_stereotypes, stereotype_distances
from nnm_core.interpret.compare.selection_bias import TowerComparison, compare_towers, fill_comparison
from nnm_core.interpret.compare.stability import Band, Stability, measure_stability, refits

__all__ = [
    "Band",
    "Stability",
    "TowerComparison",
    "audience_flows",
    "compare_towers",
    "fill_comparison",
    "match_stereotypes",
    "measure_stability",
    "refits",
    "stereotype_distances",
]
