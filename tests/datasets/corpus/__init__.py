"""Small files of every kind that people bring."""

from .bad import BAD
from .cases import Bad, Good
from .formats import FORMATS, TABLES
from .odd import ODD
from .records import NO_RATINGS
from .same import NUMBERED_SAME, SAME
from .several import SEVERAL
from .surveys import NO_PEOPLE, PERSONAL, SURVEYS

__all__ = ["BAD", "FORMATS", "NO_PEOPLE", "NO_RATINGS", "NUMBERED_SAME", "ODD", "PERSONAL", "SAME", "SEVERAL"]
__all__ += ["SURVEYS", "TABLES", "Bad", "Good"]
