"""Models in words: claims as fields first, sentences last.

``find_claims`` decides from the numbers what may be said about each stereotype: what it clearly likes or avoids, what
its people gave, and items to recognise it by. ``write_portraits`` turns claims into a name and a sentence or two;
``stereotype_names`` gives the names alone, ``list_stereotypes`` lists them with the small ones taken together, and
``with_names`` stores names that people chose. ``find_leanings`` and ``mean_ratings`` are what the people of a
stereotype gave, and ``replicate`` checks what is said against other people. ``explain`` says why a rating is predicted,
and ``describe_mixture`` which stereotypes somebody is made of. Tags and titles come from files: texts show them on one
line and shortened, but do not escape them for HTML.
"""

from nnm_core.interpret.text.claims import Claims, find_claims
from nnm_core.interpret.text.leanings import Given, Leanings, find_leanings, mean_ratings
from nnm_core.interpret.text.portraits import (
    Portrait,
    list_stereotypes,
    split_small,
    stereotype_names,
    with_names,
    write_portraits,
)
from nnm_core.interpret.text.reasons import Reason, describe_mixture, explain
from nnm_core.interpret.text.replication import Replicated, replicate

__all__ = [
    "Claims", "Given", "Leanings", "Portrait", "Reason", "Replicated", "describe_mixture", "explain", "find_claims",
    "find_leanings", "list_stereotypes", "mean_ratings", "replicate", "split_small", "stereotype_names",
    "with_names", "write_portraits",
]  # fmt: skip
