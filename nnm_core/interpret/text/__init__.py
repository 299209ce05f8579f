"""Models in words: claims as fields first, sentences last.

``find_claims`` decides from the numbers what may be said about each stereotype: tags that it clearly likes or avoids,
how generous it is, and items to recognise it by. ``write_portraits`` turns claims into a name and a sentence or two;
``stereotype_names`` gives the names alone, and ``with_names`` stores names that people chose. ``explain`` says why a
rating is predicted, and ``describe_mixture`` which stereotypes somebody is made of. Tags and titles come from files:
texts show them on one line and shortened, but do not escape them for HTML.
"""

from nnm_core.interpret.text.claims import Claims, find_claims
from nnm_core.interpret.text.portraits import Portrait, stereotype_names, with_names, write_portraits
from nnm_core.interpret.text.reasons import Reason, describe_mixture, explain

__all__ = [
    "Claims", "Portrait", "Reason", "describe_mixture", "explain", "find_claims", "stereotype_names", "with_names",
    "write_portraits",
]  # fmt: skip
