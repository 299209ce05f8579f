"""Everything that belongs to one owner: to list it, and to remove it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.compute import jobs, sharing, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.jobs import Job
from dashboard.storage import Interrupted, KeptModel, digest_of, quota


@dataclass(frozen=True, slots=True)
class OwnData:
    """A data set of somebody's, with the models that are kept of it; ``created`` is None if it is in memory only."""

    key: str
    name: str
    n_bytes: int = 0
    created: datetime | None = None
    models: Sequence[KeptModel] = ()


def datasets(owner: str) -> list[OwnData]:
    """Return what an owner has, newest first."""
    work = store.lasting(owner)
    lasting = {} if work is None else {each.key: each for each in work.datasets(owner)}
    found = []
    for key, name in store.own_names(owner).items():
        each = lasting.get(key)
        if each is None or work is None:
            found.append(OwnData(key, name))
        else:
            found.append(OwnData(key, name, each.n_bytes, each.created, tuple(work.models(key, owner))))
    return found[::-1]


def usage(owner: str) -> tuple[int, int | None]:
    """Return how many bytes an owner keeps, and may keep; None if nothing is kept for them."""
    return (0, None) if (work := store.lasting(owner)) is None else (work.usage(owner), quota())


def remove_model(model: KeptModel, data: OwnData, owner: str) -> None:
    """Remove a model that is kept of an owner's data, and everything that was computed from it."""
    if (work := store.lasting(owner)) is None:
        return
    work.remove_model(model.key, data.key, owner)
    for key, _ in kept.items("models"):
        if isinstance(key, tuple) and digest_of((*key, store.PROGRAM)) == model.key:
            jobs.discard_mentioning([key])
            kept.remove_mentioning([key])


def note_import(job: Job, owner: str, file: str) -> None:
    """Note that a file is being imported, and forget earlier imports of it that were interrupted."""
    if store.lasting(owner) is not None:
        for each in interrupted_imports(owner):
            if each.title == file:
                forget_import(owner, each)
        jobs.remember(job, owner, file)


def interrupted_imports(owner: str) -> list[Interrupted]:
    """Return the imports that were under way for an owner when the server ended."""
    return store.ask_kept(owner, lambda work: work.running.interrupted_imports(owner), [])


def forget_import(owner: str, interrupted: Interrupted) -> None:
    """Forget that an import was interrupted."""
    store.ask_kept(owner, lambda work: work.running.forget(owner, interrupted), None)


def remove_rest(owner: str) -> None:
    """Remove what an owner has besides data sets: shares of other data, names, and notes of interrupted imports."""
    for interrupted in interrupted_imports(owner):
        forget_import(owner, interrupted)
    for share in sharing.listed(owner):
        sharing.revoke(share.id, owner)
    if (work := store.lasting(owner)) is not None:
        work.remove_names(owner)
