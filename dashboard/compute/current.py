"""What a session looks at now: the data set and the model that its sidebar asks for, and what is computed from them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

from dashboard import session, theme, wording
from dashboard.compute import jobs, kept_results, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.jobs import Job
from dashboard.session import Spec
from dashboard.wording import Words
from nnm_core import FitOptions, Model
from nnm_core.datasets import Dataset, ImportReport, Labels
from nnm_core.evaluation.taste import TasteGain, taste_options
from nnm_core.interpret.text.portraits import Portrait, unnamed_portraits, with_names, write_portraits
from nnm_core.interpret.towers import Towers, Weighting, compute_towers

# Seconds to wait for what is made ahead, since no page does: the first fit on a machine compiles the solver
_LONG_ENOUGH = 300.0
# Ratings up to which taste is tested on held-out ones, which takes about as long as a fit
_MOST = 3_000_000


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything that a page needs; ``key`` names the model for whatever is computed from it."""

    spec: Spec
    dataset: Dataset
    report: ImportReport
    model: Model
    key: tuple[Hashable, ...]
    look: theme.Look
    given_names: tuple[str, ...]
    is_settled: bool = True  # whether no fit from several starts will replace this one

    @property
    def words(self) -> Words:
        """What items, tags and ratings are called."""
        return wording.words_for(self.dataset)

    @property
    def taste_key(self) -> tuple[Hashable, ...] | None:
        """The key of the job that tests on held-out ratings whether there is taste; None where that has no answer."""
        options = self.taste_options
        return None if options is None else ("taste", self.dataset.ratings.content_hash, options)

    @property
    def taste_options(self) -> FitOptions | None:
        """The fit by which to test whether there is taste; None where that has no answer, or takes too long."""
        if len(self.dataset.ratings) > _MOST:
            return None
        return taste_options(self.dataset, self.model.n_stereotypes)

    @property
    def taste(self) -> TasteGain | None:
        """What taste adds to averages on held-out ratings; None while that is not known."""
        return None if self.taste_key is None else kept.get("results", self.taste_key)

    @property
    def has_taste(self) -> bool:
        """Whether there is taste beyond chance in the data, as far as that is known."""
        return self.taste is None or self.taste.is_found

    @property
    def title(self) -> str:
        """The name of the data set."""
        return wording.title_of(self.spec.data, self.dataset.name)

    @property
    def portraits(self) -> tuple[Portrait, ...]:
        """Every stereotype in words; unnamed until its name is settled, and where there is no taste beyond chance."""
        if not self.is_settled:
            return unnamed_portraits(self.model, "Its name and description follow when all random starts are done.")
        if not self.has_taste:
            return unnamed_portraits(self.named_model, "What sets it apart could be chance.")
        key = ("portraits", self.key, self.dataset.content_hash, self.given_names)
        return store.derived(key, lambda: write_portraits(self.named_model, self.dataset))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every column of the model."""
        return tuple(portrait.name for portrait in self.portraits)

    @property
    def named_model(self) -> Model:
        """The model with the names that were given."""
        return with_names(self.model, dict(enumerate(self.given_names)))

    def towers(self, tags: Labels, source: str, weighting: Weighting = "damped") -> Towers:
        """Return the towers over a set of tags."""
        key = ("towers", self.key, self.dataset.content_hash, source, weighting)
        return store.derived(key, lambda: compute_towers(self.model, self.dataset, tags, weighting=weighting))


def view_of(
    spec: Spec, loaded: store.Loaded, model: Model, key: tuple[Hashable, ...], *, is_settled: bool = True
) -> View:
    """Return the view of a model; names given in this session win over those in the model."""
    given = session.given_names(key, model.n_stereotypes)
    if model.given_names and not any(given):
        given = model.given_names
    view = View(spec, loaded.dataset, loaded.report, model, key, session.look(), given, is_settled)
    kept_results.recall([] if view.taste_key is None else [view.taste_key])
    return view


def fitted(spec: Spec, loaded: store.Loaded) -> tuple[Model | Job | None, tuple[Hashable, ...]]:
    """Return the model, the job that fits it, or None if this owner cancelled it; and its key.

    The first start is shown as soon as it is there, and the best of several once they have been fitted.
    """
    key, mine = store.model_key(loaded.dataset, spec.options, spec.seed), session.state()
    if mine.asked != key:
        # A slider asks for a fit at every step; those that it has passed would keep this one waiting.
        mine.asked = key
        jobs.leave("fit", session.who(), key)
        jobs.leave("taste", session.who(), key)
    best_key = better_key(spec, loaded)
    if best_key is not None and (best := store.known_model(best_key)) is not None:
        return best, best_key
    if store.known_model(key) is None and (session.has_cancelled(key) or session.is_interrupted(key)):
        return None, key
    return store.model(loaded.dataset, spec.options, spec.seed, session.who()), key


def view_beside(spec: Spec, loaded: store.Loaded, who: str, whole: str = "") -> tuple[View | Job, Job | None]:
    """Return the view of another fit than the page's own, or the job that makes it; and the job that improves it.

    The first start is shown at once, the best of several as soon as that is there. ``whole``: the content hash of the
    data set that these data are a part of, with which everything is removed.
    """
    options, better = spec.options, store.improved(loaded.dataset, spec.options)
    found = store.model(loaded.dataset, options, spec.seed, who, whole=whole)
    if isinstance(found, Job):
        return found, None
    improving = None
    if better is not None:
        best = store.model(loaded.dataset, better, spec.seed, who, patience=0.0, unasked="better", whole=whole)
        improving = best if isinstance(best, Job) and best.state != "failed" else None
        options, found = (options, found) if isinstance(best, Job) else (better, best)
    key = store.model_key(loaded.dataset, options, spec.seed, whole)
    given = session.names_of(key, found.n_stereotypes)
    return View(spec, loaded.dataset, loaded.report, found, key, session.look(), given, improving is None), improving


def better_key(spec: Spec, loaded: store.Loaded) -> tuple[Hashable, ...] | None:
    """Return the key of the fit from several starts that replaces the first one; None if there will be none."""
    options = store.improved(loaded.dataset, spec.options)
    return None if options is None else store.model_key(loaded.dataset, options, spec.seed)


def is_settled(spec: Spec, loaded: store.Loaded, key: tuple[Hashable, ...]) -> bool:
    """Whether no fit from several starts will replace the model of that key: there is none, or it came to nothing."""
    better = better_key(spec, loaded)
    if better is None or better == key or session.has_cancelled(better):
        return True
    return jobs.failed_for(better, session.who()) is not None


def shown_before() -> View | None:
    """Return what this session showed last, if that is still here."""
    spec = session.state().shown
    return None if spec is None else known_view(spec)


def known_view(spec: Spec) -> View | None:
    """Return the view of what is asked for, as far as that is there already."""
    loaded = store.known_dataset(spec.data, session.owner())
    if loaded is None:
        return None
    own = session.own_model()
    if own is not None:
        return view_of(spec, loaded, own.model, ("own", own.key, own.model.data_hash))
    keys = (better_key(spec, loaded), store.model_key(loaded.dataset, spec.options, spec.seed))
    key, known = next(((key, model) for key in keys if key and (model := store.known_model(key))), (keys[1], None))
    return None if known is None else view_of(spec, loaded, known, key, is_settled=is_settled(spec, loaded, key))


def remove_data(key: str) -> None:
    """Remove uploaded data of this owner, and everything that the server or this session keeps of them."""
    session.forget_data(store.remove_own(key, session.owner()))


def make_ready(spec: Spec) -> None:
    """Compute what a page first shows of data that are known by name; outside any session."""
    loaded = store.named_dataset(spec.data, jobs.AHEAD, _LONG_ENOUGH)
    if isinstance(loaded, store.Loaded):
        prepare = partial(_describe, spec, loaded, spec.options)
        store.model(loaded.dataset, spec.options, spec.seed, jobs.AHEAD, _LONG_ENOUGH, prepare=prepare)
        fit_better(spec, loaded, jobs.AHEAD)


def fit_better(spec: Spec, loaded: store.Loaded, who: str, *, unasked: bool = True) -> Model | Job | None:
    """Fit from several starts; return the model, the job that makes it, or None where one start is enough."""
    options = store.improved(loaded.dataset, spec.options)
    if options is None:
        return None
    prepare = partial(_describe, spec, loaded, options)
    return store.model(
        loaded.dataset, options, spec.seed, who, 0.0, unasked="better" if unasked else None, prepare=prepare
    )


def make_neighbours_ready() -> None:
    """Compute what a step of D would ask for, in the background, while somebody looks at what there is."""
    mine, who = session.state(), session.who()
    loaded = store.known_dataset(mine.spec.data, session.owner())
    if loaded is None or mine.shown != mine.spec or session.own_model() is not None:
        return
    for options in store.quick_neighbours(loaded.dataset, mine.spec.options, mine.spec.seed):
        prepare = partial(_describe, replace(mine.spec, options=options), loaded, options)
        store.model(loaded.dataset, options, mine.spec.seed, who, 0.0, unasked="background", prepare=prepare)


def _describe(spec: Spec, loaded: store.Loaded, options: FitOptions, model: Model, job: Job) -> None:
    """Compute what a page first shows of a model without given names, so that the store has it."""
    key, unnamed = store.model_key(loaded.dataset, options, spec.seed), ("",) * model.n_stereotypes
    stays = better_key(spec, loaded) in (None, key)
    view = View(spec, loaded.dataset, loaded.report, model, key, theme.LIGHT, unnamed, stays)
    job.report(1.0, "describing")
    _ = view.towers(loaded.dataset.tags, "tags"), view.portraits
