"""What a page shows now: the data set and the model that the sidebar asks for, or what stands in their way."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from dashboard import session, theme, wording
from dashboard.components import job_panel, licence
from dashboard.compute import jobs, store
from dashboard.compute.jobs import Job
from dashboard.session import OwnModel, Spec
from dashboard.wording import Words, message
from nnm_core import Model
from nnm_core.datasets import Dataset, ImportReport, Labels, catalogue
from nnm_core.interpret.audience import explained
from nnm_core.interpret.text.portraits import Portrait, portraits, with_names
from nnm_core.interpret.towers import Towers, towers

_LONG_ENOUGH = 300.0
"""Seconds to wait for what is made ahead, since no page does: the first fit on a machine compiles the solver."""


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
        """What the data set is called."""
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
        return store.derived(("explained", self.key), lambda: explained(self.model, self.dataset.ratings))

    def towers(self, tags: Labels, source: str) -> Towers:
        """The towers over a set of tags."""
        key = ("towers", self.key, self.dataset.content_hash, source)
        return store.derived(key, lambda: towers(self.model, self.dataset, tags))

    def _portraits(self) -> tuple[Portrait, ...]:
        return portraits(self.named_model, self.dataset, self.towers(self.dataset.tags, "tags"))


def current() -> View:
    """What to show; where that is not there yet, what is under way is shown, and the page stops if there is nothing."""
    spec: Spec = st.session_state["spec"]
    tell_lost()
    loaded = dataset_of(spec.data)
    own = own_model_of(loaded)
    if own is not None:
        return _view(spec, loaded, own.model, ("own", own.key))
    fitted = _fitted(spec, loaded)
    if isinstance(fitted, Model):
        st.session_state["shown"] = spec
        return _view(spec, loaded, fitted, store.model_key(loaded.dataset, spec.options, spec.seed))
    return _meanwhile(fitted, loaded.dataset)


def own_model_of(loaded: store.Loaded) -> OwnModel | None:
    """The model from a file that is shown with these data; one of other ratings is let go, and the page runs again."""
    own = session.own_model()
    if own is not None and own.model.data_hash != loaded.dataset.ratings.content_hash:
        session.show_own_model(None)
        st.rerun()
    return own


def make_ready(spec: Spec) -> None:
    """Have ready what a page shows first to somebody who has given no names; outside any session."""
    loaded = store.named_dataset(spec.data, jobs.AHEAD, _LONG_ENOUGH)
    if isinstance(loaded, store.Loaded):
        _make_ready(spec, loaded)


def make_neighbours_ready() -> None:
    """Have ready what a step of D would ask for, while somebody looks at what there is."""
    spec: Spec = st.session_state["spec"]
    if st.session_state.get("shown") == spec and session.own_model() is None:
        loaded = dataset_of(spec.data)
        near = store.quick_neighbours(loaded.dataset, spec.options, spec.seed)
        store.when_at_rest([partial(_make_ready, replace(spec, options=options), loaded) for options in near])


def _make_ready(spec: Spec, loaded: store.Loaded) -> None:
    fitted = store.model(loaded.dataset, spec.options, spec.seed, jobs.AHEAD, _LONG_ENOUGH)
    if isinstance(fitted, Model):
        key = store.model_key(loaded.dataset, spec.options, spec.seed)
        unnamed = ("",) * fitted.n_stereotypes
        words = wording.words_for(loaded.dataset)
        view = View(spec, loaded.dataset, loaded.report, fitted, key, words, theme.LIGHT, unnamed)
        _ = view.explained, view.portraits  # which keeps them


def tell_lost() -> None:
    """Say so if the link leads to data or to a model that this browser cannot be shown."""
    if session.link_has_lost_model(st.session_state["spec"]):
        st.warning(
            "This link was made with a model from somebody's file, which a link does not hold. Load the file on the "
            "page **Take away**. Meanwhile, here is a fit with the options in the sidebar.",
            icon=":material/inventory_2:",
        )
    lost, was_here = st.session_state.pop("lost data", ("", False))
    if was_here:
        st.warning(
            "These data are no longer on the server: they were removed, or newer ones needed the room. Load the file "
            "again on the page **Data**. Meanwhile, here are the data that come with the program.",
            icon=":material/delete:",
        )
    elif lost.startswith(store.OWN):
        st.warning(
            "This link leads to data that somebody loaded into their own browser; they are shown to nobody else, and "
            "not for ever. Load the same file on the page **Data**. Meanwhile, here are the data that come with the "
            "program.",
            icon=":material/lock:",
        )
    elif lost:
        st.warning(
            f"This link asks for the data set “{wording.md(lost, 60)}”, which nobody knows here. Meanwhile, here are "
            "the data that come with the program.",
            icon=":material/help:",
        )


def dataset_of(key: str) -> store.Loaded:
    """The data set behind a key; shows the licence, the progress or the fault instead, and stops the page there."""
    if key.startswith(store.OWN):
        own = store.own_dataset(key, session.owner())
        if own is None:
            st.error("These data are no longer on the server. Load the file again on the page **Data**.")
            st.stop()
        return own
    if key in catalogue.CATALOGUE and catalogue.find_local(key) is None:
        licence.offer(key)
        st.stop()
    found = store.named_dataset(key, session.who())
    if isinstance(found, Job):
        job_panel.show_job(found)
        st.stop()
    return found


def _fitted(spec: Spec, loaded: store.Loaded) -> Model | Job | None:
    """The model, the job that fits it, or None if this session cancelled it."""
    key = store.model_key(loaded.dataset, spec.options, spec.seed)
    if st.session_state.get("asked") != key:
        # A slider asks for a fit at every step; those that it has passed would keep this one waiting.
        st.session_state["asked"] = key
        jobs.leave("fit", session.who(), key)
    if st.session_state.get("cancelled") == key and store.known_model(key) is None:
        return None
    return store.model(loaded.dataset, spec.options, spec.seed, session.who())


def _meanwhile(job: Job | None, dataset: Dataset) -> View:  # noqa: RET503 - st.stop() never returns
    """The progress of the fit and, below it, what was shown before."""
    if job is not None and job.state == "failed":
        jobs.forget(job.key)
        st.error(message(job.error))
    elif job is not None:
        job_panel.show_job(job)
    else:
        st.info("This fit was cancelled.", icon=":material/cancel:")
        with st.container(horizontal=True):
            if st.button("Fit it after all", icon=":material/play_arrow:"):
                del st.session_state["cancelled"]
                st.rerun()
            quicker = st.session_state.get("fit") != "recommended"
            if quicker and st.button("Show the recommended fit instead", icon=":material/undo:"):
                session.later("fit", "recommended")
                st.rerun()
    before: Spec | None = st.session_state.get("shown")
    past = None if before is None else store.known_dataset(before.data, session.owner())
    if before is not None and past is not None:
        key = store.model_key(past.dataset, before.options, before.seed)
        known = store.known_model(key)
        if known is not None:
            st.caption(
                f"Below is what was shown before: {wording.md(wording.title_of(before.data, past.dataset.name))}, "
                f"{wording.fit_in_words(before.options, before.seed)}."
            )
            return _view(before, past, known, key)
    words, ratings = wording.words_for(dataset), dataset.ratings
    st.markdown(
        f"**{wording.counted(ratings.n_users, 'person', 'people')}** {words.rated} "
        f"**{wording.counted(ratings.n_items, words.item, words.items)}**, "
        f"{wording.counted(len(ratings), 'time')} in all."
        + ("" if job is None else " What they have in common appears here when the fit is done.")
    )
    if job is not None:
        st.caption("The first fit on a machine also prepares the solver, which takes longer than the fit itself.")
    st.stop()


def _view(spec: Spec, loaded: store.Loaded, model: Model, key: tuple[Hashable, ...]) -> View:
    given = model.given_names or session.given_names(key, model.n_stereotypes)
    if model.given_names:
        changed = session.given_names(key, model.n_stereotypes)
        given = changed if any(changed) else given
    return View(
        spec,
        loaded.dataset,
        loaded.report,
        model,
        key,
        wording.words_for(loaded.dataset),
        session.look(),
        given,
    )
