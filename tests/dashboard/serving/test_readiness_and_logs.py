"""What whoever runs the server looks at."""

import asyncio
import json
import logging
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.serving import readiness
from dashboard.serving.logs import JsonFormatter
from dashboard.storage import kept_work


def asked():
    with ThreadPoolExecutor(1) as pool:  # a browser's event loop may run in this thread
        answer = pool.submit(asyncio.run, readiness.answer(None)).result()
    return answer.status_code, json.loads(answer.body)


def test_a_server_is_ready_once_it_can_compute_and_keep_and_until_it_stops(monkeypatch):
    for name in ("has_kernels", "is_stopping"):
        monkeypatch.setattr(readiness, name, threading.Event())
    monkeypatch.setattr(readiness, "_CHECKED_FOR", -1.0)
    assert asked() == (503, {"kernels": False, "storage": True, "running": True})
    readiness.has_kernels.set()
    assert asked() == (200, {"kernels": True, "storage": True, "running": True})
    with monkeypatch.context() as patch:
        patch.setattr(kept_work()._database, "connect", lambda: 1 / 0)
        assert asked() == (503, {"kernels": True, "storage": False, "running": True})
    readiness.is_stopping.set()
    assert asked() == (503, {"kernels": True, "storage": True, "running": False})


def test_an_answer_is_good_for_a_moment(monkeypatch):
    monkeypatch.setattr(readiness, "_last", (float("inf"), True))
    monkeypatch.setattr(readiness, "kept_work", lambda: pytest.fail("nobody has to look again"))
    assert asked()[1]["storage"]


def test_the_log_has_lines_of_code_and_no_data():
    try:
        {}["ann@example.org"]
    except KeyError:
        record = logging.LogRecord("dashboard", logging.ERROR, "", 0, "the page %r failed", ("Data",), sys.exc_info())
    line = json.loads(JsonFormatter().format(record))
    assert line.pop("time").endswith("+00:00")
    (place,) = line.pop("at")
    assert place.startswith("test_readiness_and_logs.py:")
    assert line == {"level": "error", "logger": "dashboard", "message": "the page 'Data' failed", "error": "KeyError"}
