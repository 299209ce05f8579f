"""What all tests share: where real data lie, and a few ready-made ratings."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from nnm_core import Ratings
from nnm_core.datasets import Dataset, load_dataset
from tests.planted import planted_ratings

# The first call of a kernel compiles it, hence no deadline. The same examples every time, so that a green run stays
# green; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("explore", deadline=None)
settings.register_profile("nnm", deadline=None, derandomize=True)
settings.load_profile("nnm")


# What the dashboard keeps must not be what the person keeps who runs the tests.
os.environ["NNM_STORE"] = tempfile.mkdtemp(prefix="nnm-tests-")
# Some two dozen servers and commands that tests start would each compile the whole program.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# The folders whose tests take longest, so that no worker begins one of them when the others are done.
_FIRST = ("browser", "fitting", "interpret", "cluster", "evaluation", "datasets", "dashboard")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the folders whose tests take longest begin."""

    def place(item: pytest.Item) -> int:
        folder = next((part for part in item.path.parts if part in _FIRST), "") if "tests" in item.path.parts else ""
        return _FIRST.index(folder) if folder else len(_FIRST)

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file on one worker, with the fits and servers that they share; two workers drive browsers."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", 1)[0]
            return f"browser {file >= 'tests/browser/test_learn.py'}" if file.startswith("tests/browser/") else file

    return ByFile(config, log)


class _Refuse(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True)
def no_deprecated_streamlit() -> Iterator[None]:
    """Fail where Streamlit warns of a deprecation: it logs them, past Python's own warnings."""
    logger, handler = logging.getLogger("streamlit.deprecation_util"), _Refuse()
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)


_MAIN = sys.modules["__main__"]


@pytest.fixture(autouse=True)
def same_main_module() -> Iterator[None]:
    """Put the main module back: AppTest leaves a page's script in its place, which new processes would then run."""
    yield
    sys.modules["__main__"] = _MAIN


_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def _movielens(name: str) -> Dataset:
    folder = Path(os.environ.get("NNM_DATA", _BESIDE)) / name
    if not folder.exists():
        pytest.skip(f"{name} is not here: put it into a folder and name that folder in NNM_DATA")
    return load_dataset(folder)[0]


@pytest.fixture(scope="session")
def ml_100k_folder() -> Path:
    folder = Path(os.environ.get("NNM_DATA", _BESIDE)) / "ml-100k"
    if not folder.exists():
        pytest.skip("ml-100k is not here: put it into a folder and name that folder in NNM_DATA")
    return folder


@pytest.fixture(scope="session")
def ml_100k() -> Dataset:
    return _movielens("ml-100k")


@pytest.fixture(scope="session")
def ml_1m() -> Dataset:
    return _movielens("ml-1m")


@pytest.fixture(scope="session")
def bundled() -> Dataset:
    return load_dataset("bundled")[0]


@pytest.fixture(scope="session")
def small() -> Ratings:
    """Five-star ratings of 60 users for 40 items, a third of all pairs, drawn from three planted stereotypes."""
    return planted_ratings(n_users=60, n_items=40, n_stereotypes=3, density=1 / 3, seed=5)[0]


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty S3-compatible server, which the test and the processes that it starts find; as a boto3 resource."""
    server_of = pytest.importorskip("moto.server", reason="moto is not here: install moto[server,s3] to test buckets")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not here: install it to test buckets")
    import boto3

    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    settings = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in (settings | dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "test")).items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()  # in which the server of another test is still known
    yield boto3.resource("s3")
    server.stop()
