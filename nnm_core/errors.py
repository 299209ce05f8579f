"""Every error that the library raises on purpose.

    NnmError
    ├── InputError        an argument, a rating or an option that cannot be used
    ├── DataError         a data file that cannot be read as ratings
    ├── ModelFileError    a file that is not a model this version can load
    └── FitCancelled      the callback asked a fit to stop

A message says what is wrong, where, and what to do about it; an interface can show it as it is. What to type in a
command stands in parentheses, so that a form can leave it out (:func:`without_flags`).
"""

import re

_FLAGS = re.compile(r" \([^()]*--[a-z][^()]*\)")


class NnmError(Exception):
    """Base of all errors that the library raises on purpose."""


class InputError(NnmError, ValueError):
    """An argument, a rating or an option that cannot be used."""


class DataError(NnmError):
    """A data file that cannot be read as ratings."""


class ModelFileError(NnmError):
    """A file that is not a model this version can load, or a model that cannot be written."""


class FitCancelled(NnmError):  # noqa: N818 - not a fault, somebody asked for it
    """The callback asked the fit to stop; nothing was changed."""


def in_short(error: BaseException, longest: int = 200) -> str:
    """Return the first line of an error's message without a full stop, to be quoted in another message."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:longest].rstrip(" .")


def without_flags(message: str) -> str:
    """Return a message without what it says to those who type commands.

    >>> without_flags("If rows are people, say so (--wide), or leave some out (--drop NAME).")
    'If rows are people, say so, or leave some out.'
    """
    return _FLAGS.sub("", message)
