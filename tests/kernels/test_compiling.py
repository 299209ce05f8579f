"""The first fit on a machine."""

import os
import signal
import subprocess
import sys
import time

import pytest

from nnm_core._kernels import compiling

SCRIPT = """
from nnm_core import Ratings, fit, fold_in_users, preset
from nnm_core._kernels.compiling import begin_compiling
from nnm_core._kernels.half_step import half_step
begin_compiling()
ratings = Ratings.from_arrays(["a", "b", "b"], ["x", "x", "y"], [1, 4, 5])
fold_in_users(fit(ratings, preset("recommended", n_stereotypes=2)), ratings)
stats = half_step.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_fit_finds_what_the_other_process_compiled(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0"]


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
def test_stopping_a_first_fit_says_one_line(tmp_path):
    """Ctrl-C once some kernels are compiled."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "nnm_core.cli", "fit", "demo"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, process_group=0) as fitting:
        for _ in range(2400):
            if len(list(tmp_path.rglob("*.nbi"))) > 2:
                break
            time.sleep(0.05)
        os.killpg(fitting.pid, signal.SIGINT)
        said = fitting.communicate(timeout=120)[1]
    # Python ends by the signal itself where it came through an exec() of the compiler; a shell says 130 of both
    assert fitting.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in said
    assert "stopped" in said


def test_nothing_is_compiled_twice(monkeypatch):
    compiling.compile_half_step()  # so that it lies in the cache
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: (_ for _ in ()).throw(AssertionError("not needed")))
    compiling.begin_compiling()
    compiling.finish_compiling()
