"""Copies of a running fit, from which it can go on: after the scheduler was lost, or a worker with its results.

A checkpoint is a folder or bucket that all workers share. Each worker writes the users of its partitions; once all are
there, a manifest that names every file with its hash takes the place of the one before, whole or not at all. From then
on the fit goes on from these files: what is lost with a worker is read again, not computed from the beginning.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
from fsspec.implementations.local import LocalFileSystem

from nnm_core.cluster.alternation import SpreadLikes, State
from nnm_core.cluster.connection import ClusterError
from nnm_core.cluster.partition import ItemFacts, Items, Users
from nnm_core.cluster.tasks import Each, Tasks
from nnm_core.errors import InputError, ModelFileError, in_short
from nnm_core.files import write_whole
from nnm_core.fitting.alternation import Momentum
from nnm_core.fitting.progress import Progress
from nnm_core.model import Model, Trace
from nnm_core.options import FitOptions
from nnm_core.storage import model_bytes, model_from_bytes
from nnm_core.types import FloatArray, IntArray

EVERY = 5
"""Sweeps between two checkpoints."""

_MANIFEST = "manifest.json"
_DIGEST = 64  # characters of a SHA-256
_MOMENTUM = ("age", "objective", "n_sweeps", "movement")


class Checkpoints:
    """The checkpoints of one fit, in a folder of its own inside ``folder``, which is named after ratings and options.

    ``every``: sweeps between two checkpoints of a start.
    """

    def __init__(
        self,
        tasks: Tasks,
        folder: str,
        content_hash: str,
        bounds: IntArray,
        options: FitOptions,
        seed: int,
        every: int = EVERY,
    ) -> None:
        what = json.dumps([content_hash, np.asarray(bounds).tolist(), asdict(options), seed])
        self.folder = f"{folder.rstrip('/')}/nnm-{hashlib.sha256(what.encode()).hexdigest()[:16]}"
        self._tasks, self._every = tasks, every

    def exist(self) -> bool:
        """Whether there is something to go on from."""
        system, root = fsspec.core.url_to_fs(self.folder)
        return bool(system.exists(root))

    def check(self) -> None:
        """Raise InputError if there is nothing to go on from."""
        if not self.exist():
            raise InputError(
                f"There is no checkpoint of this fit in {self.folder.rpartition('/')[0]}. One is found for the same "
                "ratings, options and seed; without --resume the fit begins anew."
            )

    def remove(self) -> None:
        """Remove all files of this fit."""
        system, root = fsspec.core.url_to_fs(self.folder)
        with suppress(FileNotFoundError):
            system.rm(root, recursive=True)

    def save(self, name: str, steps: SpreadLikes, momentum: Momentum, progress: Progress) -> None:
        """Write a checkpoint of a start every few sweeps, and let the fit go on from it."""
        n_sweeps = len(progress.traces[-1].movements)
        if n_sweeps % self._every:
            return
        place = f"{self.folder}/{name}"
        manifest = {
            "in_fill": steps.in_fill,
            "with_generosity": len(steps.objective_now.fixed) > 0,
            "mean_mixture": steps.mean_mixture().tolist(),
            "error": steps.error,
            "residual": steps.residual,
            "momentum": {field: getattr(momentum, field) for field in _MOMENTUM},
            "traces": [_trace_fields(trace) for trace in progress.traces],
        }
        before = self._manifest(place)
        try:
            kept_users, kept_items = self._write_factors(place, n_sweeps, steps.state(), momentum.previous)
            content = json.dumps(manifest | {"users": kept_users, "items": kept_items})
            _put_sealed(f"{place}/{_MANIFEST}", content.encode())
        except OSError as error:
            _remove(_paths(place, n_sweeps, len(steps.ratings.partitions)))
            why = error.strerror or in_short(error)
            again = "" if before is None else " with --resume; the checkpoint before it is whole"
            raise ClusterError(
                f"The checkpoint cannot be written to {self.folder}: {why}. Make room, and start the fit again{again}."
            ) from error
        self._go_on_from(kept_users, kept_items, steps, momentum)
        if before is not None:
            _remove([path for path, _ in [*before["users"], before["items"]]])

    def _write_factors(self, place: str, n_sweeps: int, now: State, previous: State) -> Any:
        """Let the workers write both states; return the path and the hash of every file."""
        submit = self._tasks.submit
        for_items, *for_users = _paths(place, n_sweeps, len(now.users))
        users = self._tasks.map("nnm-keep-users", write_users, for_users, now.users, previous.users)
        items = submit("nnm-keep-items", write_items, for_items, now.items, previous.items)
        return self._tasks.gather((users, items))

    def load(self, name: str, steps: SpreadLikes, momentum: Momentum, progress: Progress) -> bool:
        """Bring a start to where its last checkpoint was written; return whether there is one."""
        found = self._manifest(f"{self.folder}/{name}")
        if found is None:
            return False
        progress.traces[:] = [_trace(fields) for fields in found["traces"]]
        for field, value in found["momentum"].items():
            setattr(momentum, field, value)
        mean = np.array(found["mean_mixture"])
        steps.resume(mean, found["in_fill"], found["with_generosity"], found["error"], found["residual"])
        self._go_on_from(found["users"], found["items"], steps, momentum)
        return True

    def keep_model(self, name: str, model: Model) -> None:
        """Keep the model that a start ended in."""
        _put_sealed(f"{self.folder}/{name}/model.nnm", model_bytes(model))

    def model(self, name: str) -> Model | None:
        """Return the model that a start ended in, if it did."""
        path = f"{self.folder}/{name}/model.nnm"
        content = _get_sealed(path)
        return None if content is None else model_from_bytes(content, path)

    def _go_on_from(
        self, users: Sequence[Sequence[str]], items: Sequence[str], steps: SpreadLikes, momentum: Momentum
    ) -> None:
        states = []
        for which in ("now", "previous"):
            paths, digests = zip(*users, strict=True)
            own = self._tasks.map("nnm-kept-users", read_users, paths, digests, Each(which))
            kept_items = self._tasks.submit("nnm-kept-items", read_items, *items, which, steps.ratings.facts)
            states.append(State(own, kept_items))
        steps.restore(states[0])
        momentum.previous = states[1]

    def _manifest(self, place: str) -> dict[str, Any] | None:
        content = _get_sealed(f"{place}/{_MANIFEST}")
        return None if content is None else dict(json.loads(content))


def _paths(place: str, n_sweeps: int, n_partitions: int) -> list[str]:
    """Return where the items and the users of each partition are written."""
    names = ["items", *(f"users-{number:05d}" for number in range(n_partitions))]
    return [f"{place}/{name}-{n_sweeps:06d}.npz" for name in names]


def write_users(path: str, now: Users, previous: Users) -> tuple[str, str]:
    """Write the mixtures of a partition, and return the path and the hash of the file."""
    return _write(path, now.mixtures, previous.mixtures)


def write_items(path: str, now: Items, previous: Items) -> tuple[str, str]:
    """Write the likes of all items, and return the path and the hash of the file."""
    return _write(path, now.likes, previous.likes)


def read_users(path: str, digest: str, which: str) -> Users:
    """Return the users of a partition from a checkpoint, as they were ``now`` or in the ``previous`` state."""
    return Users(_read(path, digest, which))


def read_items(path: str, digest: str, which: str, facts: ItemFacts) -> Items:
    """Return the items from a checkpoint."""
    return Items.at(_read(path, digest, which), facts)


def _write(path: str, now: FloatArray, previous: FloatArray) -> tuple[str, str]:
    buffer = io.BytesIO()
    np.savez(buffer, now=now, previous=previous)
    content = buffer.getvalue()
    put(path, content)
    return path, hashlib.sha256(content).hexdigest()


def _read(path: str, digest: str, which: str) -> FloatArray:
    try:
        content = _get(path)
    except FileNotFoundError as error:
        raise ClusterError(
            f"A worker does not find the checkpoint {path}; checkpoints need a folder or bucket that all workers share."
        ) from error
    _check(path, content, digest)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return np.asarray(arrays[which], dtype=np.float64)


def put(path: str, content: bytes) -> None:
    """Write a file whole or not at all."""
    system, place = fsspec.core.url_to_fs(path)
    if not isinstance(system, LocalFileSystem):
        system.pipe_file(place, content)  # an object appears when it is complete
        return
    target = Path(place)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)


def _get(path: str) -> bytes:
    system, place = fsspec.core.url_to_fs(path)
    content: bytes = system.cat_file(place)
    return content


def _remove(paths: Sequence[str]) -> None:
    for path in paths:
        system, place = fsspec.core.url_to_fs(path)
        with suppress(OSError):
            system.rm_file(place)


def _put_sealed(path: str, content: bytes) -> None:
    """Write a file that ends in the hash of what is before."""
    put(path, content + hashlib.sha256(content).hexdigest().encode())


def _get_sealed(path: str) -> bytes | None:
    """Return what ``_put_sealed`` wrote, None if it did not."""
    try:
        sealed = _get(path)
    except FileNotFoundError:
        return None
    content, digest = sealed[:-_DIGEST], sealed[-_DIGEST:]
    _check(path, content, digest.decode("ascii", "replace"))
    return content


def _check(path: str, content: bytes, digest: str) -> None:
    """Raise ModelFileError unless the content has this hash."""
    if hashlib.sha256(content).hexdigest() != digest:
        raise ModelFileError(f"{path} is damaged; start the fit without --resume.")


def _trace_fields(trace: Trace) -> dict[str, Any]:
    arrays = {name: getattr(trace, name).tolist() for name in ("objectives", "training_errors", "movements")}
    return arrays | {"stage": trace.stage, "n_filled": trace.n_filled, "residual": trace.residual}


def _trace(fields: dict[str, Any]) -> Trace:
    arrays: dict[str, Any] = {name: np.array(value) for name, value in fields.items() if isinstance(value, list)}
    return Trace(**fields | arrays)
