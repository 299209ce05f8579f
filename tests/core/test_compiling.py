"""The first fit on a machine."""

import os
import subprocess
import sys

from nnm_core import compiling

SCRIPT = """
from nnm_core import Ratings, compiling, fit, preset
from nnm_core.kernels import half_step
compiling.begin_compiling()
fit(Ratings.from_arrays(["a", "b", "b"], ["x", "x", "y"], [1, 4, 5]), preset("recommended", n_stereotypes=2))
stats = half_step.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_fit_finds_what_the_other_process_compiled(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0"]


def test_nothing_is_compiled_twice(monkeypatch):
    compiling.compile_half_step()  # so that it lies in the cache
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: (_ for _ in ()).throw(AssertionError("not needed")))
    compiling.begin_compiling()
    compiling.finish_compiling()
