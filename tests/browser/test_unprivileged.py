"""A server that may write to its store and its cache alone: nobody's process, no home, everything else read-only."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import _CacheLocator

from nnm_core import _kernels
from tests.browser.conftest import ROOT, open_page, running_server, watched
from tests.browser.test_kept import large_file
from tests.ports import free_port

pytestmark = pytest.mark.browser
NOBODY = 65534
# It may read everything, because a test's Python often lies in a home folder that others cannot enter.
START = """
while [ "$1" != -- ]; do mount --bind "$1" "$1" || exit 1; shift; done; shift
mount --options remount,bind,ro / || exit 1
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \\
    --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search "$@"
"""
WHAT_CAN_BE_WRITTEN = """
import errno, os, sys
for folder in sys.argv[1:]:
    try:
        os.close(os.open(f"{folder}/probe", os.O_CREAT | os.O_WRONLY))
        os.remove(f"{folder}/probe")
        print("yes")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


def as_nobody(*writable: Path) -> list[str | Path]:
    """Return what starts a program as nobody, with a file system where only these folders can be written to."""
    start = ["unshare", "--mount", "sh", "-c", START, "sh", *writable, "--"]
    if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv", "mount"))):
        pytest.skip("only root can make a file system read-only for one process, with unshare and setpriv")
    command = [*start, sys.executable, "-c", WHAT_CAN_BE_WRITTEN, ROOT, "/tmp", *writable]  # noqa: S108
    tried = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if tried.stdout.split() != ["EROFS", "EROFS", *["yes"] * len(writable)]:
        pytest.skip(f"no file system can be made read-only here: {tried.stdout} {tried.stderr}")
    return start


@pytest.fixture
def folders(tmp_path):
    """A store, and a cache that has what this machine has compiled already."""
    store, cache = tmp_path / "store", tmp_path / "cache"
    store.mkdir()
    kernels = Path(_kernels.__file__).parent
    compiled = cache / _CacheLocator.get_suitable_cache_subpath(str(kernels / "half_step.py"))
    shutil.copytree(kernels / "__pycache__", compiled)
    for path in (store, cache, compiled, *compiled.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    return store, cache


def test_nothing_but_store_and_cache_has_to_be_writable(browser, tmp_path, folders):
    start, port = as_nobody(*folders), free_port()
    settings = {"HOME": "/nonexistent", "NUMBA_CACHE_DIR": str(folders[1])}
    with running_server(port, tmp_path, "serve", by=start, **settings) as (address, process):
        status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        assert f"Uid:\t{NOBODY}\t{NOBODY}\t{NOBODY}\t{NOBODY}" in status
        with watched(browser, address) as tab:
            open_page(tab, "/data?part=own&data=demo")
            file = large_file(tmp_path, 100_000)
            assert file.stat().st_size > 2**20  # so that it passes through a temporary file
            tab.locator("input[type=file]").first.set_input_files(file)
            tab.get_by_role("button", name="Load these ratings").click()
            tab.get_by_text("Your data are loaded").wait_for()
            open_page(tab, "/export")
            with tab.expect_download() as waiting:
                tab.get_by_role("link", name="mixtures.csv", exact=True).click()
            assert len(Path(waiting.value.path()).read_text("utf-8-sig").splitlines()) > 100
        process.terminate()
        assert process.wait(40) == 0
    assert list((folders[0] / "tmp").iterdir()) == []  # what was uploaded left nothing behind
    log = (tmp_path / f"log-{port}.txt").read_text()
    assert "Traceback" not in log
