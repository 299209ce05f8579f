"""Kernels are compiled where neither the package nor the user has a folder that can be written to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nnm_core
from nnm_core._kernels import cache_folder
from nnm_core.errors import InputError

SCRIPT = """
import numpy as np
from nnm_core._kernels.grouping import RatingRows, row_sums
ratings = RatingRows(np.array([0, 2]), np.zeros(2, np.int32), np.array([0, 1], np.uint8))
print(row_sums(ratings, np.array([1.0, 4.0]))[0], row_sums.stats.cache_path)
"""


def test_without_a_home_and_in_a_read_only_package_kernels_are_cached_in_a_temporary_folder(tmp_path):
    shutil.copytree(Path(nnm_core.__file__).parent, tmp_path / "nnm_core", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "nnm_core" / "_kernels" / "__pycache__").touch()  # a file: root could write to a read-only folder
    environment = {**os.environ, "HOME": "/dev/null", "PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    total, folder = done.stdout.split()
    assert float(total) == 5.0
    assert Path(folder).is_relative_to(tmp_path)
    assert "nnm-kernels-" in folder
    assert not Path(folder).exists()  # it goes with the process


def test_what_an_image_has_compiled_is_copied_to_where_it_can_be_used(tmp_path, monkeypatch):
    compiled = tmp_path / "image" / "half_step.nbi"
    compiled.parent.mkdir()
    compiled.write_bytes(b"compiled")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(compiled.parent))
    monkeypatch.setattr(cache_folder.numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(cache_folder.tempfile, "mkdtemp", lambda prefix: str(tmp_path / prefix))
    cache_folder.ensure_writable()
    assert os.environ["NUMBA_CACHE_DIR"] == str(compiled.parent)  # it can be written to: used as it is
    monkeypatch.setattr(cache_folder, "_is_writable", lambda folder: False)
    cache_folder.ensure_writable()
    assert os.environ["NUMBA_CACHE_DIR"] == cache_folder.numba.config.CACHE_DIR == str(tmp_path / "nnm-kernels-")
    assert (tmp_path / "nnm-kernels-" / "half_step.nbi").read_bytes() == b"compiled"


def test_where_nothing_can_be_written_to_it_says_what_to_name(monkeypatch):
    def fail(prefix):
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(cache_folder.tempfile, "mkdtemp", fail)
    monkeypatch.setattr(cache_folder, "_is_writable", lambda folder: False)
    with pytest.raises(InputError, match="NUMBA_CACHE_DIR"):
        cache_folder.ensure_writable()
