"""Small files of every kind that people bring."""

from .bad import BAD
from .cases import Bad, Good
from .odd import ODD
from .same import NUMBERED_SAME, SAME
from .several import SEVERAL

__all__ = ["BAD", "NUMBERED_SAME", "ODD", "SAME", "SEVERAL", "Bad", "Good"]
