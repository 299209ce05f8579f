"""Small files of every kind that people bring."""

from .bad import BAD
from .cases import Bad, Good
from .formats import FORMATS, TABLES
from .odd import ODD
from .same import NUMBERED_SAME, SAME
from .several import SEVERAL

__all__ = ["BAD", "FORMATS", "NUMBERED_SAME", "ODD", "SAME", "SEVERAL", "TABLES", "Bad", "Good"]
