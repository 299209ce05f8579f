"""Errors that were measured before or are published, for the data sets that they belong to.

Computing them takes minutes to hours. *Measured* ones are those of ``nnm reproduce`` (docs/reproduction.md) and of
``evaluate_peer`` on ``random_folds(ratings, 5)``: with the paper's settings, on all five folds, or on the first one
for MovieLens 1M.
"""

from __future__ import annotations

from dataclasses import dataclass

from nnm_core.ratings import Ratings


@dataclass(frozen=True, slots=True)
class Reference:
    """The errors of a method.

    ``is_rounded``: they are the paper's, of predictions rounded to the scale, which compare with no others.
    """

    name: str
    mae: float
    rmse: float
    is_rounded: bool = False


def references_for(ratings: Ratings) -> tuple[Reference, ...]:
    """Return what is known for exactly these ratings; empty for all but a few data sets.

    >>> references_for(ratings)
    ()
    """
    data = _NAMES.get(ratings.content_hash, "")
    measured = [Reference(method, *errors) for method, errors in _MEASURED.get(data, {}).items()]
    return (*_PUBLISHED.get(data, ()), *measured)


_NAMES = {
    "5273a83009c193e1af0e3f7e4fd5757dcfa1c5cb7d5ef64811675b2f59f0ad5c": "bundled",
    "bfaa3ab6dcda9006a40a71ee1844f7d6c520215fd0a4dfd04ddc18118673ac7f": "ml-100k",
    "91cfe6529ba908243df4f6967a47cbac37cfe0dc9a39729a36b0ed01d0e1dbce": "ml-1m",
}
_PUBLISHED = {
    "ml-100k": (Reference("the paper, D = 3", 0.699, 0.984, is_rounded=True),),
    "ml-1m": (Reference("the paper, D = 8", 0.643, 0.920, is_rounded=True),),
}
_MEASURED = {  # MAE and RMSE
    "bundled": {"UserKNN": (0.704, 0.925), "ItemKNN": (0.688, 0.906), "NMF": (0.727, 0.946)},
    "ml-100k": {"UserKNN": (0.734, 0.940), "ItemKNN": (0.719, 0.920), "NMF": (0.759, 0.965), "SVD++": (0.721, 0.916)},
    "ml-1m": {"UserKNN": (0.695, 0.888), "ItemKNN": (0.680, 0.867), "NMF": (0.722, 0.913), "SVD++": (0.669, 0.852)},
}
