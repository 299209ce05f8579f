"""The panel of a job refreshes on its own; the browser must stand whichever messages a refresh overtakes."""

import threading

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

from dashboard.compute import jobs
from dashboard.storage import kept_work
from tests.dashboard.storage.test_running import another_run


def script():
    import streamlit as st

    from dashboard.components.common import job_panel
    from dashboard.compute import jobs

    st.write("before")
    job_panel.show_job(jobs.find("slow"))
    st.write("after")


@pytest.fixture
def job():
    over = threading.Event()
    yield jobs.start("slow", "Slow", lambda job: over.wait(60), "tester", "long")
    over.set()


def test_what_a_refresh_drops_leaves_no_gap(job, monkeypatch):
    sent = []
    parse = local_script_runner.parse_tree_from_messages
    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", lambda m: (sent.extend(m), parse(m))[1])
    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    assert app.button[0].label == "Cancel"
    deltas = [message for message in sent if message.HasField("delta")]
    assert any(message.delta.fragment_id for message in deltas)
    children = {(0,): 0, (1,): 0}
    for message in deltas:
        if message.delta.fragment_id:
            continue  # Streamlit drops these where a refresh of the fragment begins before they are sent
        *parent, place = message.metadata.delta_path
        assert place <= children[tuple(parent)]
        children[tuple(parent)] = max(children[tuple(parent)], place + 1)
        children.setdefault((*parent, place), 0)


def script_with_news():
    import time

    import streamlit as st

    from dashboard import session
    from dashboard.components.common import job_panel
    from dashboard.compute import jobs

    def work(job):
        while True:
            job.report(0.5, "half")
            time.sleep(0.02)

    news = st.session_state.setdefault("news", [False, True])
    job = jobs.find("endless") or jobs.start("endless", "Endless", work, session.who(), "long")
    if not job.is_finished:
        job_panel.show_job(job, has_news=lambda: bool(news and news.pop(0)))


def test_cancel_is_heard_also_when_the_page_has_to_run_first():
    app = AppTest.from_function(script_with_news, default_timeout=30).run()
    app.button[0].click().run()
    job = jobs.find("endless")
    assert job.wait(20)
    assert job.state == "cancelled"


def script_of_a_curve():
    import streamlit as st

    from dashboard import session
    from dashboard.components.common import job_panel

    session.state().owner = "tester"
    key = ("curve", "0" * 64)
    st.write(f"result {job_panel.run_job(key, 'A curve', lambda job: 42, 'Compute it', at_once=True, patience=20.0)}")


def test_a_job_that_its_server_did_not_finish_is_run_again_only_when_somebody_asks():
    another_run(kept_work()).begin("tester", ("curve", "0" * 64), "0" * 64, "A curve")
    app = AppTest.from_function(script_of_a_curve, default_timeout=30).run()
    assert [caption.value for caption in app.caption] == ["This was interrupted, because the server stopped."]
    assert [button.label for button in app.button] == ["Run again"]
    assert app.markdown[0].value == "result None"
    app.button[0].click().run()
    for _ in range(20):
        app.run()
        if app.markdown[0].value == "result 42":
            break
    assert app.markdown[0].value == "result 42"
    assert not app.caption
    jobs.forget(("curve", "0" * 64))
    assert not kept_work().running.is_interrupted("tester", ("curve", "0" * 64))
