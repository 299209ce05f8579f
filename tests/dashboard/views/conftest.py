"""Pages without a browser: each runs below the sidebar, on data of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.compute import store
from dashboard.session import State
from nnm_core import Ratings, Scale
from nnm_core.datasets import Dataset, Labels, load_dataset
from nnm_core.datasets.synthetic import demo, invented_report
from tests.planted import planted_ratings

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<b>bold</b> & **stars** _under_ `code` $x^2$",
    "[link](http://example.org) ![picture](http://example.org/p.png)",
    ":red[red] :material/home: :smile: # heading",
    "🎬🍿 émigré 映画",
    "x" * 300,
    '=HYPERLINK("http://example.org")',
    "%{x} {y} </script>",
)


def page_script(name: str) -> None:
    """What AppTest runs: one page below the sidebar, without the net that catches faults."""
    import importlib
    from contextlib import suppress

    import streamlit as st

    from dashboard import session
    from dashboard.components.common import sidebar
    from dashboard.streamlit_compat import PageStopped

    session.begin()
    with st.sidebar:
        session.state().spec = sidebar.render()
    with suppress(PageStopped):
        importlib.import_module(f"dashboard.views.{name}").render()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for every fit, however busy the machine is, and are shown the first one for good."""
    monkeypatch.setattr(store, "PATIENCE", 120.0)
    monkeypatch.setattr(store, "IMPROVE_WITHIN", 0.0)


@pytest.fixture
def page_at() -> Callable[[str, dict[str, str]], AppTest]:
    """Run a page with this in its link."""

    def run(name: str, link: dict[str, str]) -> AppTest:
        app = AppTest.from_function(page_script, default_timeout=180, kwargs={"name": name})
        app.session_state["state"] = State(owner="tester")
        for key, value in link.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception, app.exception[0].value
        return app

    return run


@pytest.fixture(scope="session")
def kept_already() -> dict[tuple[object, ...], str]:
    """Under which keys the data sets of earlier tests are kept: pages list all that somebody has."""
    return {}


@pytest.fixture
def page(
    page_at: Callable[[str, dict[str, str]], AppTest], kept_already: dict[tuple[object, ...], str]
) -> Callable[..., AppTest]:
    """Run a page: ``page("hierarchy", dataset, D=2)``; everything but the data set goes into the link."""

    def run(name: str, dataset: Dataset | None = None, **link: Any) -> AppTest:
        if dataset is not None:
            days = None if dataset.days is None else dataset.days.tobytes()
            which = (dataset.name, dataset.content_hash, days)
            if store.own_names("tester").get(kept_already.get(which, "")) != dataset.name:
                kept_already[which], _ = store.keep_own(dataset, invented_report(dataset), "tester")
            link["data"] = kept_already[which]
        return page_at(name, {key: str(value) for key, value in link.items()})

    return run


def charts(app: AppTest) -> list[dict[str, Any]]:
    """The figures of a page as plotly sees them, with arrays as lists."""
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def type_in(app: AppTest, key: str, text: str) -> None:
    """Type a text that is no option into a select box, and press Enter: AppTest itself can only choose options."""
    box = app.selectbox(key=key)
    box.options.append(text)
    box.set_value(text).run()
    assert not app.exception, app.exception[0].value


def texts(app: AppTest) -> str:
    """All texts of a page."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success")
    return "\n".join(element.value for kind in kinds for element in getattr(app, kind))


def make_dataset(n_tags: int = 0, hostile: bool = False, n_users: int = 60, n_items: int = 40) -> Dataset:
    """Planted ratings with that many random tags; with hostile names everywhere if asked."""
    ratings, _, _ = planted_ratings(n_users=n_users, n_items=n_items, n_stereotypes=3, density=0.4, seed=7)
    names = list(HOSTILE) if hostile else []
    ids = [f"{names[k % len(names)]} {k}" if names else f"i{k}" for k in range(n_items)]
    people = [f"{names[k % len(names)]} {k}" if names else f"p{k}" for k in range(n_users)]
    ratings = Ratings.from_numbers(ratings.users, ratings.items, ratings.values, people, ids, scale=Scale(1, 5))
    rng = np.random.default_rng(3)
    tags = [names[k] if k < len(names) else f"tag {k}" for k in range(max(n_tags, len(names) if n_tags else 0))]
    labels = Labels.none(n_items)
    if tags:
        rows, columns = np.nonzero(rng.random((n_items, len(tags))) < 0.3)
        labels = Labels.from_pairs(rows, columns, tags, n_items)
    trait = Labels.from_pairs(np.arange(n_users), np.arange(n_users) % 2, (names or ["one", "two"])[:2], n_users)
    traits = {names[0] if names else "side": trait} if n_tags else {}
    return Dataset(names[1] if names else "planted", ratings, tuple(ids), labels, traits)


@pytest.fixture(scope="session")
def without_tags() -> Dataset:
    return make_dataset()


@pytest.fixture(scope="session")
def hostile() -> Dataset:
    return make_dataset(n_tags=12, hostile=True)


@pytest.fixture(scope="session")
def thousand_tags() -> Dataset:
    return make_dataset(n_tags=1000, n_users=80, n_items=120)


@pytest.fixture(scope="session")
def clicks() -> Dataset:
    """Two groups that choose two halves of a catalogue; nobody rated."""
    chosen = [f"u{user},i{item}" for user in range(60) for item in range(30) if (user + item) % 2 and (user * item) % 3]
    return load_dataset(("user,item\n" + "\n".join(chosen)).encode(), filename="clicks.csv")[0]


@pytest.fixture(scope="session")
def one_user() -> Dataset:
    ratings = Ratings.from_arrays(["me"] * 5, list("abcde"), [1, 2, 3, 4, 5], scale=Scale(1, 5))
    return Dataset("one person", ratings, tuple("ABCDE"), Labels.none(5))


@pytest.fixture(scope="session")
def cinema() -> Dataset:
    return demo().dataset
