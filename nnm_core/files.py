"""Files that are written whole or not at all, and files of arrays with a JSON header.

The latter are in the format of ``np.savez``, without pickles and without compression: ``np.load`` opens them as well,
where the header is the array ``header``, bytes of JSON. Such a file cannot grow when it is opened, and numpy gives its
members no dates, so that the same content gives the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

UNFINISHED = ".part"
"""What the name of a file ends in while it is written."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; an existing one is replaced whole or, on failure, left as it was."""
    with open_whole(path) as file:
        file.write(content)


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write; an existing one is replaced whole once all is written or, on failure, left as it was."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}{UNFINISHED}")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def arrays_bytes(
    header: Mapping[str, Any], arrays: Mapping[str, Any], default: Callable[[Any], Any] | None = None
) -> bytes:
    """Return the content of a file with these arrays and this header; ``default``: as for ``json.dumps``."""
    buffer = io.BytesIO()
    write_arrays(buffer, header, arrays, default)
    return buffer.getvalue()


def write_arrays(
    file: BinaryIO,
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
    default: Callable[[Any], Any] | None = None,
) -> None:
    """Write arrays and a header to an open file; ``default``: as for ``json.dumps``."""
    text = json.dumps(header, ensure_ascii=False, default=default).encode("utf-8", "surrogatepass")
    np.savez(file, header=np.frombuffer(text, dtype=np.uint8), **arrays)


def read_header(arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Return the header of a file that ``np.load`` has opened."""
    return json.loads(arrays["header"].tobytes().decode("utf-8", "surrogatepass"))
