"""The downloader against a server of our own: everything that can go wrong on the way, and what is left behind."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnm_core.datasets import catalogue, load_dataset
from nnm_core.datasets.catalogue import Entry, download, licence_text
from nnm_core.errors import DataError


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as packed:
        rows = "".join(f"{user},{item},{(user + item) % 10 / 2 + 0.5},0\n" for user in range(400) for item in range(50))
        packed.writestr("ml-20m/ratings.csv", "userId,movieId,rating,timestamp\n" + rows)
        films = "".join(f"{item},Film {item} (19{item:02d}),Drama|War\n" for item in range(50))
        packed.writestr("ml-20m/movies.csv", "movieId,title,genres\n" + films)
        words = "1,1,Slow,0\n2,1,slow ,0\n3,1,slow,0\n1,2,grim,0\n"
        packed.writestr("ml-20m/tags.csv", "userId,movieId,tag,timestamp\n" + words)
    return buffer.getvalue()


ARCHIVE = archive()
SHA = "sha256:" + hashlib.sha256(ARCHIVE).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Behaves according to the first part of the path."""

    def do_GET(self) -> None:
        how = self.path.strip("/").split("/")[0]
        if how in ("404", "500"):
            self.send_error(int(how))
            return
        if how in ("redirect", "circle"):
            self.send_response(302)
            self.send_header("Location", "/good/ml-20m.zip" if how == "redirect" else self.path)
            self.end_headers()
            return
        body = b"not the archive" + ARCHIVE[15:] if how == "wrong" else ARCHIVE + b"x" * 10**6 * (how == "endless")
        self.send_response(200)
        if how != "endless":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self._send(how, body)

    def _send(self, how: str, body: bytes) -> None:
        if how == "truncated":
            self.wfile.write(body[: len(body) // 2])
        elif how in ("stalled", "slow"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.server.gate.wait(20)  # type: ignore[attr-defined]
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.gate = threading.Event()  # type: ignore[attr-defined]
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.gate.set()  # type: ignore[attr-defined]
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("NNM_CACHE", str(folder))
    monkeypatch.delenv("NNM_DATA", raising=False)
    return folder


def entry_at(server: str, how: str, checksum: str = SHA, size: int = len(ARCHIVE)) -> Entry:
    class Elsewhere(Entry):
        @property
        def url(self) -> str:
            return f"{server}/{how}/{self.name}.zip"

    return Elsewhere("ml-20m", "MovieLens 20M", "20 million ratings", "free for research", size, checksum)


def left_behind(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.exists() else []


@pytest.mark.parametrize("how", ["good", "redirect"])
def test_archive_arrives_whole_with_progress(server: str, cache: Path, how: str) -> None:
    seen: list[tuple[int, int]] = []
    path = download(entry_at(server, how), True, progress=lambda done, total: seen.append((done, total)))
    assert path == cache / "ml-20m.zip"
    assert path.read_bytes() == ARCHIVE
    assert seen[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert left_behind(cache) == ["ml-20m.zip"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("wrong", "checksum is not the expected one"),
        ("truncated", "broke off"),
        ("404", "does not have it"),
        ("500", "answered 500"),
        ("circle", "redirects in circles"),
        ("stalled", "sent nothing for 0.5 seconds"),
        ("endless", "sent more than"),
    ],
)
def test_failures_say_what_happened_and_what_works_instead(server: str, cache: Path, how: str, message: str) -> None:
    begin = time.monotonic()
    with pytest.raises(DataError, match=message) as caught:
        download(entry_at(server, how), True, timeout=0.5)
    assert time.monotonic() - begin < 10
    text = str(caught.value)
    assert "'bundled'" in text
    assert "'demo'" in text
    assert "ml-20m.zip" in text
    assert str(cache) in text
    assert "ml-20m.zip" not in left_behind(cache)


def test_without_a_network_the_message_says_what_works(cache: Path) -> None:
    with pytest.raises(DataError, match="there is no connection") as caught:
        download(entry_at("http://127.0.0.1:9", "good"), True, timeout=2)
    assert "put it into" in str(caught.value)
    assert str(cache) in str(caught.value)


def test_new_edition_of_a_changing_archive_is_explained(server: str) -> None:
    changing = catalogue.CATALOGUE["ml-latest-small"]
    assert "replaces this archive" in changing.edition
    entry = entry_at(server, "wrong")
    object.__setattr__(entry, "edition", changing.edition)
    with pytest.raises(DataError, match="replaces this archive"):
        download(entry, True)


@pytest.mark.parametrize("answer", [False, lambda _: False], ids=["no", "asked"])
def test_nothing_is_downloaded_before_the_licence_is_accepted(server: str, cache: Path, answer: object) -> None:
    with pytest.raises(DataError, match=r"(?s)licence was not accepted.*free for research.*doi"):
        download(entry_at(server, "good"), answer)  # type: ignore[arg-type]
    assert left_behind(cache) == []


def test_licence_is_shown_to_whoever_decides(server: str) -> None:
    shown: list[str] = []

    def ask(text: str) -> bool:
        shown.append(text)
        return True

    entry = entry_at(server, "good")
    download(entry, ask)
    assert shown == [licence_text(entry)]
    assert "Harper and Joseph A. Konstan" in shown[0]


def test_named_data_set_is_downloaded_once_and_then_found(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue.CATALOGUE, "ml-20m", entry_at(server, "good"))
    dataset, report = load_dataset("ml-20m", accept_licence=True)
    assert (len(dataset.ratings), dataset.ratings.n_users, dataset.ratings.n_items) == (20_000, 400, 50)
    assert dataset.tags.names == ("Drama", "War")
    assert dataset.user_tags is not None
    assert dataset.user_tags.names == ("grim", "slow")
    assert any("merged" in note for note in report.notes)
    monkeypatch.setattr(catalogue.requests, "get", lambda *_, **__: pytest.fail("it was there already"))
    again, _ = load_dataset("ml-20m")
    assert again.content_hash == dataset.content_hash
    assert dataset.licence == "free for research"


def test_download_killed_half_way_leaves_nothing_that_looks_whole(server: str, cache: Path) -> None:
    program = f"""
        import dataclasses
        from nnm_core.datasets.catalogue import Entry, download
        told = lambda *_: print("some", flush=True)
        Entry.url = property(lambda self: "{server}/slow/ml-20m.zip")
        download(Entry("ml-20m", "t", "a", "l", {len(ARCHIVE)}, "{SHA}"), True, progress=told)
    """
    environment = {**os.environ, "NNM_CACHE": str(cache)}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert first == "some\n"
    leftovers = left_behind(cache)
    assert leftovers
    assert "ml-20m.zip" not in leftovers
    for name in leftovers:
        os.utime(cache / name, (0, 0))
    path = download(entry_at(server, "good"), True)
    assert path.read_bytes() == ARCHIVE
    assert left_behind(cache) == ["ml-20m.zip"]


def test_archive_put_there_by_hand_is_used(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir()
    (cache / "ml-20m.zip").write_bytes(ARCHIVE)
    assert load_dataset("ml-20m")[0].ratings.n_users == 400
    other = tmp_path / "data"
    other.mkdir()
    (other / "ml-25m.zip").write_bytes(ARCHIVE)
    monkeypatch.setenv("NNM_DATA", str(other))
    assert load_dataset("ml-25m")[0].name == "ml-25m"


def test_something_else_in_its_place_is_refused(cache: Path) -> None:
    (cache / "ml-20m").mkdir(parents=True)
    (cache / "ml-20m" / "notes.txt").write_text("nothing here")
    with pytest.raises(DataError, match=r"none of MovieLens's files.*notes\.txt"):
        load_dataset("ml-20m")


def test_bundled_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue.requests, "get", lambda *_, **__: pytest.fail("no network is needed"))
    dataset, _ = load_dataset("bundled")
    assert (len(dataset.ratings), dataset.ratings.n_users, dataset.ratings.n_items) == (100_004, 671, 9_066)
    assert "same conditions" in dataset.licence
