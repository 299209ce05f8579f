"""Small files of every kind that people bring."""

from .bad import BAD
from .cases import Bad, Good
from .formats import FORMATS, TABLES
from .odd import ODD
from .same import NUMBERED_SAME, SAME
from .several import SEVERAL
from .surveys import NO_PEOPLE, PERSONAL, SURVEYS

__all__ = ["BAD", "FORMATS", "NO_PEOPLE", "NUMBERED_SAME", "ODD", "PERSONAL", "SAME", "SEVERAL", "SURVEYS", "TABLES"]
__all__ += ["Bad", "Good"]
