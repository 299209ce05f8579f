"""What a session looks at now: the data set and the model that its sidebar asks for, and what is computed from them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

from dashboard import session, theme, wording
from dashboard.compute import jobs, store
from dashboard.compute.jobs import Job
from dashboard.session import Spec
from dashboard.wording import Words
from nnm_core import Model
from nnm_core.datasets import Dataset, ImportReport, Labels
from nnm_core.interpret.audience import explained_variance
from nnm_core.interpret.text.portraits import Portrait, with_names, write_portraits
from nnm_core.interpret.towers import Towers, compute_towers

# Seconds to wait for what is made ahead, since no page does: the first fit on a machine compiles the solver
_LONG_ENOUGH = 300.0


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything that a page needs; ``key`` names the model for whatever is computed from it."""

    spec: Spec
    dataset: Dataset
    report: ImportReport
    model: Model
    key: tuple[Hashable, ...]
    words: Words
    style: theme.Look
    given_names: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of the data set."""
        return wording.title_of(self.spec.data, self.dataset.name)

    @property
    def portraits(self) -> tuple[Portrait, ...]:
        """Every stereotype in words."""
        return store.derived(("portraits", self.key, self.dataset.content_hash, self.given_names), self._portraits)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every column of the model."""
        return tuple(portrait.name for portrait in self.portraits)

    @property
    def named_model(self) -> Model:
        """The model with the names that were given."""
        return with_names(self.model, dict(enumerate(self.given_names)))

    @property
    def explained(self) -> float:
        """The share of the variance of the ratings that the model accounts for."""
        return store.derived(("explained", self.key), lambda: explained_variance(self.model, self.dataset.ratings))

    def towers(self, tags: Labels, source: str) -> Towers:
        """The towers over a set of tags."""
        key = ("towers", self.key, self.dataset.content_hash, source)
        return store.derived(key, lambda: compute_towers(self.model, self.dataset, tags))

    def _portraits(self) -> tuple[Portrait, ...]:
        bars = self.towers(self.dataset.tags, "tags")
        return write_portraits(self.named_model, self.dataset, bars, tag=self.words.tag)


def view_of(spec: Spec, loaded: store.Loaded, model: Model, key: tuple[Hashable, ...]) -> View:
    """Return the view of a model; names given in this session win over those in the model."""
    given = session.given_names(key, model.n_stereotypes)
    if model.given_names and not any(given):
        given = model.given_names
    words = wording.words_for(loaded.dataset)
    return View(spec, loaded.dataset, loaded.report, model, key, words, session.look(), given)


def fitted(spec: Spec, loaded: store.Loaded) -> Model | Job | None:
    """Return the model, the job that fits it, or None if this owner cancelled it."""
    key, mine = store.model_key(loaded.dataset, spec.options, spec.seed), session.state()
    if mine.asked != key:
        # A slider asks for a fit at every step; those that it has passed would keep this one waiting.
        mine.asked = key
        jobs.leave("fit", session.who(), key)
    if session.has_cancelled(key) and store.known_model(key) is None:
        return None
    return store.model(loaded.dataset, spec.options, spec.seed, session.who())


def shown_before() -> View | None:
    """Return what this session showed last, if that is still here."""
    spec = session.state().shown
    loaded = None if spec is None else store.known_dataset(spec.data, session.owner())
    if spec is None or loaded is None:
        return None
    key = store.model_key(loaded.dataset, spec.options, spec.seed)
    known = store.known_model(key)
    return None if known is None else view_of(spec, loaded, known, key)


def remove_data(key: str) -> None:
    """Remove uploaded data of this owner, and everything that the server or this session keeps of them."""
    session.forget_data(store.remove_own(key, session.owner()))


def make_ready(spec: Spec) -> None:
    """Compute what a page first shows of data that are known by name; outside any session."""
    store.named_dataset(spec.data, jobs.AHEAD, _LONG_ENOUGH)
    _make_ready(spec, "")


def make_neighbours_ready() -> None:
    """Compute what a step of D would ask for, while somebody looks at what there is."""
    spec, owner = session.state().spec, session.owner()
    loaded = store.known_dataset(spec.data, owner)
    if loaded is not None and session.state().shown == spec and session.own_model() is None:
        near = store.quick_neighbours(loaded.dataset, spec.options, spec.seed)
        store.when_at_rest([partial(_make_ready, replace(spec, options=options), owner) for options in near])


def _make_ready(spec: Spec, owner: str) -> None:
    """Fit a model, and compute what a page first shows of it to somebody who has given no names."""
    loaded = store.known_dataset(spec.data, owner)  # not before: somebody may have removed them meanwhile
    model = None if loaded is None else store.model(loaded.dataset, spec.options, spec.seed, jobs.AHEAD, _LONG_ENOUGH)
    if loaded is not None and isinstance(model, Model):
        key = store.model_key(loaded.dataset, spec.options, spec.seed)
        unnamed = ("",) * model.n_stereotypes
        words = wording.words_for(loaded.dataset)
        view = View(spec, loaded.dataset, loaded.report, model, key, words, theme.LIGHT, unnamed)
        _ = view.explained, view.portraits  # which keeps them
