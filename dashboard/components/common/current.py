"""The data set and the model that a page shows, or what stands in their way: a licence, a job, a message."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard import session, wording
from dashboard.components.common import job_panel
from dashboard.components.data import licence
from dashboard.compute import jobs, kept_results, sharing, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.current import (
    View,
    better_key,
    fit_better,
    fitted,
    is_settled,
    known_view,
    make_neighbours_ready,
    shown_before,
    view_of,
)
from dashboard.compute.evaluations import evaluate_taste
from dashboard.compute.jobs import Job
from dashboard.session import OwnModel
from dashboard.streamlit_compat import PageStopped
from nnm_core import Model
from nnm_core.datasets import Dataset, catalogue


def current_and_settled() -> View:
    """Return what to show once no other fit will replace it; until then, show how far that is and stop the page."""
    view = current()
    if view.is_settled:
        return view
    better = fit_better(view.spec, dataset_of(view.spec.data), session.who(), unasked=False)
    if not isinstance(better, Job):
        st.rerun()
    st.markdown("Files are ready as soon as the best of several random starts is known.")
    job_panel.show_job(better)
    raise PageStopped


def current() -> View:
    """Return what to show; while that is not there, show what is under way and return what was shown before."""
    mine = session.state()
    tell_lost()
    loaded = dataset_of(mine.spec.data)
    own = own_model_of(loaded)
    if own is not None:
        return view_of(mine.spec, loaded, own.model, ("own", own.key, own.model.data_hash))
    found, key = fitted(mine.spec, loaded)
    if not isinstance(found, Model):
        return _meanwhile(found, loaded.dataset)
    view = view_of(mine.spec, loaded, found, key, is_settled=is_settled(mine.spec, loaded, key))
    mine.shown = mine.spec
    mine.drawn = (view.key, view.taste is not None)
    _tell_chance(view)
    _tell_unimproved(view, loaded)
    return view


def improve() -> None:
    """Fit from several starts and test on held-out ratings, in the background; the page runs again when that is done.

    Called at the end of a page, so that nothing waits for it. Between the two, one stereotype more and one fewer are
    fitted, in case somebody asks for them. A note says what is under way, and what the page itself waits for.
    """
    mine, is_shared = session.state(), session.shared() is not None
    view, says = known_view(mine.spec) if is_shared else shown_before(), ""
    if view is not None and (is_shared or (mine.shown == mine.spec and session.own_model() is None)):
        mine.waiting = [*_improve(view), *mine.waiting]
        says = "" if view.is_settled else "**Names follow:** comparing random starts"
    with st.container(key="under-way"):
        job_panel.watch(mine.waiting, says)


def _improve(view: View) -> list[Job]:
    """Return what is under way to replace the view; run again if something was done while the page ran."""
    mine = session.state()
    drawn, mine.drawn = mine.drawn, None
    if drawn is not None and drawn != (view.key, view.taste is not None):  # something was done while the page ran
        st.rerun()
    waiting = []
    loaded = store.known_dataset(mine.spec.data, session.owner())
    if loaded is not None and not view.is_settled:
        better = fit_better(mine.spec, loaded, session.who())
        if not isinstance(better, Job):
            st.rerun()
        waiting.append(better)
    make_neighbours_ready()
    key, options = view.taste_key, view.taste_options
    if key is not None and options is not None and view.taste is None and not session.has_cancelled(key):
        test = partial(evaluate_taste, view.dataset, options)
        work = kept_results.keeping(key, view.dataset, test)
        waiting.append(jobs.start(key, "Testing on held-out ratings", work, session.who(), "background"))
    return waiting


def _tell_chance(view: View) -> None:
    """Say so if there is no taste in the data beyond chance."""
    if not view.has_taste:
        st.warning(wording.no_taste(view.words), icon=":material/casino:")


def _tell_unimproved(view: View, loaded: store.Loaded) -> None:
    """Say so if the fit from several starts failed, so that this is the first of them."""
    better = better_key(view.spec, loaded)
    failed = None if better is None else jobs.failed_for(better, session.who())
    if failed is not None and better != view.key:
        job_panel.show_job(failed)
        st.caption(f"Below is the first of {wording.number(store.STARTS)} random starts.")


def own_model_of(loaded: store.Loaded) -> OwnModel | None:
    """Return the model from a file that is shown with these data; let one of other ratings go, and run again."""
    own = session.own_model()
    if own is not None and own.model.data_hash != loaded.dataset.ratings.content_hash:
        session.show_own_model(None)
        st.rerun()
    return own


def tell_lost() -> None:
    """Say so if the link leads to data or to a model that this browser cannot be shown."""
    if session.link_has_lost_model():
        st.warning(
            "This link was made with a model from somebody's file, which a link does not hold. Load the file on the "
            "page **Export**. Meanwhile, here is a fit with the options in the sidebar.",
            icon=":material/inventory_2:",
        )
    mine = session.state()
    (lost, was_here), mine.lost_data = mine.lost_data or ("", False), None
    if was_here:
        st.warning(
            "These data are no longer on the server: they were removed, or could not be kept. Load the file again "
            "on the page **Data**. Meanwhile, here are the data that come with the program.",
            icon=":material/delete:",
        )
    elif lost.startswith(store.OWN):
        st.warning(
            "This link leads to data that somebody loaded for themselves; they are shown to nobody else. Ask that "
            "person for a link that **Share** in the sidebar makes, or load the same file on the page **Data**. "
            "Meanwhile, here are the data that come with the program.",
            icon=":material/lock:",
        )
    elif lost:
        st.warning(
            f"This link asks for the data set “{wording.md(lost, 60)}”, which nobody knows here. Meanwhile, here are "
            "the data that come with the program.",
            icon=":material/help:",
        )


def dataset_of(key: str) -> store.Loaded:
    """Return the data set of a key, or show its licence, the progress or the fault, and stop the page."""
    if key.startswith((store.OWN, sharing.SHARED)):
        own = store.known_dataset(key, session.owner())
        if own is None:
            st.error("These data are no longer on the server. Load the file again on the page **Data**.")
            raise PageStopped
        return own
    if key in catalogue.CATALOGUE and catalogue.find_local(key) is None:
        licence.offer(key)
        raise PageStopped
    if session.has_cancelled(("data", key)) and store.known_dataset(key, session.owner()) is None:
        job_panel.offer_restart("Read them after all", [("data", key)])
        raise PageStopped
    found = store.named_dataset(key, session.who())
    if isinstance(found, Job):
        job_panel.show_job(found)
        raise PageStopped
    return found


def _meanwhile(job: Job | None, dataset: Dataset) -> View:
    """Show the progress of the fit and return what was shown before; without that, stop the page."""
    if job is not None:
        job_panel.show_job(job)
    else:
        interrupted = session.is_interrupted(session.state().asked)
        what = "interrupted, because the server stopped" if interrupted else "cancelled"
        st.info(f"This fit was {what}.", icon=":material/cancel:")
        with st.container(horizontal=True):
            if st.button("Run again" if interrupted else "Fit it after all", icon=":material/play_arrow:"):
                session.allow(session.state().asked)
                st.rerun()
            quicker = st.session_state.get("fit") != "recommended"
            if quicker and st.button("Show the recommended fit instead", icon=":material/undo:"):
                session.later("fit", "recommended")
                st.rerun()
    before = shown_before()
    if before is not None:
        fit = wording.fit_in_words(before.spec.options, before.spec.seed)
        st.caption(f"Below is what was shown before: {wording.md(before.title)}, {fit}.")
        return before
    words, ratings = wording.words_for(dataset), dataset.ratings
    st.markdown(
        f"**{wording.counted(ratings.n_users, 'person', 'people')}** {words.rated} "
        f"**{wording.counted(ratings.n_items, words.item, words.items)}**, "
        f"{wording.counted(len(ratings), 'time')} in all."
        + ("" if job is None else " What they have in common appears here when the fit is done.")
    )
    if job is not None and not kept.items("models"):
        st.caption("The first fit on a machine also prepares the solver, which takes longer than the fit itself.")
    raise PageStopped
