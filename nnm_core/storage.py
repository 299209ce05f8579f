"""Models as files: arrays with a JSON header, see ``files``.

Version 1 had the header as a member ``header.json``; such files can still be loaded.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from nnm_core.atlas import Atlas, Optimum
from nnm_core.errors import InputError, ModelFileError, in_short
from nnm_core.files import arrays_bytes, open_whole, read_header, write_arrays
from nnm_core.model import Model, Trace
from nnm_core.options import FitOptions
from nnm_core.scale import Scale
from nnm_core.types import FloatArray

FORMAT = "nnm-model"
VERSION = 2

_ARRAYS = ("mixtures", "answers", "mean_mixture", "mixture_precision", "mean_answer")
_HEADER_OF_VERSION_1 = "header.json"


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file; an existing file is replaced whole or, on failure, left as it was.

    Raises
    ------
    ModelFileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from nnm_core import Ratings, fit, load_model, save_model
    >>> model = fit(Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/my.nnm")
    ...     load_model(f"{folder}/my.nnm").item_ids
    ('Alien', 'Heat')
    """
    try:
        with open_whole(Path(path)) as file:
            write_arrays(file, *_contents(model))  # in small pieces where arrays lie in a file themselves
    except OSError as error:
        raise ModelFileError(
            f"The model cannot be written to {path}: {error.strerror}. Choose a folder that exists and that you may "
            "write to."
        ) from error


def check_writable(path: str | os.PathLike[str], example: str = "my.nnm") -> None:
    """Raise ModelFileError if no file could be written to the path; ``example``: a name for one."""
    path = Path(path)
    if path.is_dir():
        raise ModelFileError(f"{path} is a folder; give the name of a file in it, such as {path / example}.")
    if not path.parent.is_dir():
        raise ModelFileError(f"The folder {path.parent} does not exist; make it, or choose another place.")
    if not os.access(path.parent, os.W_OK):
        raise ModelFileError(f"The folder {path.parent} cannot be written to; choose another place.")


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file that :func:`save_model` wrote.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is damaged, or is not a model that this version can load.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"The model {path} cannot be read: {error.strerror}.") from error
    return model_from_bytes(content, str(path))


def model_bytes(model: Model) -> bytes:
    """Return the content of a model file."""
    return arrays_bytes(*_contents(model))


def _contents(model: Model) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the header and the arrays of a model file."""
    arrays: dict[str, FloatArray] = {name: getattr(model, name) for name in _ARRAYS}
    for number, trace in enumerate(model.traces):
        arrays[f"trace{number}/objectives"] = trace.objectives
        arrays[f"trace{number}/training_errors"] = trace.training_errors
        arrays[f"trace{number}/movements"] = trace.movements
    for number, other in enumerate(model.atlas.others if model.atlas else ()):
        arrays[f"optimum{number}/distances"] = other.distances
        if other.mixtures is not None and other.answers is not None:
            arrays[f"optimum{number}/mixtures"], arrays[f"optimum{number}/answers"] = other.mixtures, other.answers
    return _header(model), arrays


def model_from_bytes(content: bytes, name: str = "the file") -> Model:
    """Return the model from the content of a model file; ``name`` is what error messages call it."""
    if not content.startswith(b"PK"):
        raise ModelFileError(f"{name} is not a model file; models are written by 'nnm fit' or save_model.")
    try:
        _check_not_compressed(content, name)
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            is_old = _HEADER_OF_VERSION_1 in arrays.files
            header = json.loads(arrays[_HEADER_OF_VERSION_1]) if is_old else read_header(arrays)
            _check_version(header, name)
            return _assemble(arrays, header)
    except KeyError as error:
        raise ModelFileError(f"{name} is not a model file, or a part of it is missing: {error.args[0]}") from error
    except InputError as error:
        raise ModelFileError(f"{name} holds something that is not a valid model. {error}") from error
    except ModelFileError:
        raise
    except Exception as error:  # why: a truncated or forged archive, header or array can raise almost anything
        raise ModelFileError(f"{name} is damaged or incomplete ({in_short(error)}); copy or fit it again.") from error


def _header(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "options": asdict(model.options),
        "scale": asdict(model.scale),
        "seed": model.seed,
        "n_fixed": model.n_fixed,
        "data_hash": model.data_hash,
        "traces": [{"stage": t.stage, "n_filled": t.n_filled, "residual": t.residual} for t in model.traces],
        "user_ids": model.user_ids,
        "item_ids": model.item_ids,
        "given_names": model.given_names,
        "atlas": None if model.atlas is None else _atlas_header(model.atlas),
    }


def _atlas_header(atlas: Atlas) -> dict[str, Any]:
    others = [{"excess": other.excess, "n_starts": other.n_starts} for other in atlas.others]
    found_by = atlas.found_by.tolist()
    return {"n_starts": atlas.n_starts, "n_best": atlas.n_best, "found_by": found_by, "others": others}


def _check_not_compressed(content: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise ModelFileError(f"{name} is not a model file: it is a compressed archive.")


def _check_version(header: Any, name: str) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"{name} is not a model file.")
    version = header.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ModelFileError(
            f"{name} has the format version {version}, and this program reads up to {VERSION}; "
            "update nnm-explorer to open it."
        )


def _assemble(arrays: Mapping[str, Any], header: dict[str, Any]) -> Model:
    options = dict(header["options"])
    if options.get("anchors") is not None:
        options["anchors"] = tuple(options["anchors"])
    traces = tuple(
        Trace(
            objectives=_array(arrays, f"trace{number}/objectives"),
            training_errors=_array(arrays, f"trace{number}/training_errors"),
            movements=_array(arrays, f"trace{number}/movements")
            if f"trace{number}/movements" in arrays  # which files of version 1 lack
            else np.empty(0),
            **trace,
        )
        for number, trace in enumerate(header["traces"])
    )
    scale = Scale(**header["scale"])
    if header["version"] == 1 and scale.n_levels == 2:
        raise ModelFileError(
            "This model of ratings with two levels was fitted by an older version, in which the lower one meant a "
            "probability of liking of one half; fit it again."
        )
    given_names = header.get("given_names")  # absent in files written before names could be given
    return Model(
        **{name: _array(arrays, name) for name in _ARRAYS},
        user_ids=tuple(map(str, header["user_ids"])),
        item_ids=tuple(map(str, header["item_ids"])),
        scale=scale,
        n_fixed=header["n_fixed"],
        options=FitOptions(**options),
        seed=header["seed"],
        data_hash=header["data_hash"],
        traces=traces,
        given_names=tuple(given_names) if isinstance(given_names, list) else given_names,
        atlas=_read_atlas(arrays, header["atlas"]) if header.get("atlas") else None,
    )


def _read_atlas(arrays: Mapping[str, Any], header: dict[str, Any]) -> Atlas:
    others = tuple(
        Optimum(
            excess=other["excess"],
            n_starts=other["n_starts"],
            distances=_array(arrays, f"optimum{number}/distances"),
            mixtures=_optional(arrays, f"optimum{number}/mixtures"),
            answers=_optional(arrays, f"optimum{number}/answers"),
        )
        for number, other in enumerate(header["others"])
    )
    found_by = np.array(header["found_by"], dtype=np.int64)
    return Atlas(n_starts=header["n_starts"], n_best=header["n_best"], found_by=found_by, others=others)


def _optional(arrays: Mapping[str, Any], name: str) -> FloatArray | None:
    return _array(arrays, name) if name in arrays else None


def _array(arrays: Mapping[str, Any], name: str) -> FloatArray:
    array = arrays[name]
    if array.dtype != np.float64:
        raise ModelFileError(f"The array {name} holds {array.dtype} where a model has numbers.")
    return np.asarray(array, dtype=np.float64)
