"""What a fit does when workers are killed, the scheduler is lost, or there is no room for a checkpoint."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
from distributed import LocalCluster

from nnm_core import FitCancelled, ModelFileError, fit, preset
from nnm_core.cluster import ClusterError, checkpoints, connect, connection, fit_parts, while_wanted
from nnm_core.cluster.checkpoints import Checkpoints
from nnm_core.cluster.fit_parts import fit_spread
from nnm_core.cluster.tasks import InProcess, OnCluster
from nnm_core.errors import InputError
from tests.cluster.conftest import divide_ratings, write_parts
from tests.ports import free_port

OPTIONS = preset("recommended", n_stereotypes=3, n_sweeps=14, tol=0.0)
BOUNDS = [0, 100, 200, 300]


@pytest.fixture(scope="module")
def loaded(planted):
    return divide_ratings(planted, BOUNDS)


@pytest.fixture(scope="module")
def undisturbed(loaded):
    return fit_spread(InProcess(), loaded, OPTIONS)


def kept_in(folder, loaded, every=4, options=OPTIONS):
    return Checkpoints(InProcess(), str(folder), loaded.content_hash, loaded.bounds, options, 0, every=every)


def fit_until(n_sweeps, loaded, kept, options=OPTIONS):
    seen = []

    def stop(sweep):
        seen.append(sweep.number)
        return sweep.number < n_sweeps

    with pytest.raises(FitCancelled):
        fit_spread(InProcess(), loaded, options, checkpoints=kept, callback=stop)
    return seen


@pytest.mark.parametrize("n_sweeps", [5, 9, 13])
def test_a_fit_goes_on_from_its_checkpoint_with_the_same_bits(loaded, undisturbed, tmp_path, n_sweeps):
    kept, seen = kept_in(tmp_path, loaded), []
    fit_until(n_sweeps, loaded, kept)
    model = fit_spread(InProcess(), loaded, OPTIONS, checkpoints=kept, callback=lambda sweep: seen.append(sweep.number))
    np.testing.assert_array_equal(model.mixtures, undisturbed.mixtures)
    np.testing.assert_array_equal(model.answers, undisturbed.answers)
    np.testing.assert_array_equal(model.mean_mixture, undisturbed.mean_mixture)
    np.testing.assert_array_equal(model.traces[0].objectives, undisturbed.traces[0].objectives)
    assert len(seen) == 14 - n_sweeps // 4 * 4


def test_zeros_throughout_and_several_starts_go_on_too(loaded, tmp_path):
    for options, stopped_after in (
        (preset("paper", fill_sweeps=16), 6),
        (preset("paper", fill="sampled", fill_sweeps=16), 6),
        (preset("paper", starts=3, n_sweeps=6), 9),
    ):
        expected = fit_spread(InProcess(), loaded, options)
        kept = kept_in(tmp_path, loaded, every=2, options=options)
        fit_until(stopped_after, loaded, kept, options)
        model = fit_spread(InProcess(), loaded, options, checkpoints=kept)
        np.testing.assert_array_equal(model.mixtures, expected.mixtures)
        np.testing.assert_array_equal(model.traces[0].movements, expected.traces[0].movements)


def test_a_full_disk_is_said_and_the_last_checkpoint_stays_whole(loaded, undisturbed, tmp_path, monkeypatch):
    kept = kept_in(tmp_path, loaded)

    def put_on_full_disk(path, content):
        with Path("/dev/full").open("wb") as file:
            file.write(content)

    def fill_the_disk(sweep):
        if sweep.number == 6:
            monkeypatch.setattr(checkpoints, "put", put_on_full_disk)

    with pytest.raises(ClusterError, match=r"cannot be written to .*: No space left on device.* --resume; the"):
        fit_spread(InProcess(), loaded, OPTIONS, checkpoints=kept, callback=fill_the_disk)
    monkeypatch.undo()
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".part" or path.stem.endswith("-000008")]
    model = fit_spread(InProcess(), loaded, OPTIONS, checkpoints=kept)
    np.testing.assert_array_equal(model.mixtures, undisturbed.mixtures)


def test_a_damaged_checkpoint_is_refused(loaded, tmp_path):
    kept = kept_in(tmp_path, loaded)
    fit_until(6, loaded, kept)
    for pattern in ("users-00001*", "manifest.json"):
        path = next(tmp_path.rglob(pattern))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="is damaged; start the fit without --resume"):
            fit_spread(InProcess(), loaded, OPTIONS, checkpoints=kept)


def test_resuming_needs_a_checkpoint_of_the_same_fit(client, planted, tmp_path):
    parts = write_parts(planted, tmp_path / "parts", 2)
    with pytest.raises(InputError, match=r"no checkpoint of this fit .* same ratings, options and seed"):
        fit_parts(parts, OPTIONS, client=client, checkpoint=tmp_path / "kept", resume=True)


def kill_workers(client, delays):
    """Kill one worker after each of the delays, as the system does for want of memory."""
    for number, delay in enumerate(delays):
        time.sleep(delay)
        nannies = list(client.cluster.workers.values())
        process = nannies[number % len(nannies)].process
        if process is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)


def test_killed_workers_change_nothing(client, planted, undisturbed, tmp_path):
    """Killed at random times: while parts are read, in the pattern, in sweeps, with and without checkpoints."""
    parts = write_parts(planted, tmp_path / "parts", 3)
    calm = fit_parts(parts, OPTIONS, client=client, ratings_per_partition=1200)
    np.testing.assert_allclose(calm.mixtures, undisturbed.mixtures, atol=1e-8)
    rng = np.random.default_rng(0)
    for checkpoint in (None, tmp_path / "kept", tmp_path / "kept"):
        killer = threading.Thread(target=kill_workers, args=(client, rng.uniform(0.05, 1.0, size=1)))
        killer.start()
        model = fit_parts(parts, OPTIONS, client=client, ratings_per_partition=1200, checkpoint=checkpoint)
        killer.join()
        np.testing.assert_array_equal(model.mixtures, calm.mixtures)
        np.testing.assert_array_equal(model.answers, calm.answers)
    assert not list((tmp_path / "kept").iterdir())


def die(*_):
    os._exit(1)


def test_a_task_that_kills_every_worker_is_named(client):
    on_cluster = OnCluster(client)
    with pytest.raises(ClusterError, match=r"died again and again over the task 'nnm-scan:/data/part-7\.csv'"):
        on_cluster.gather(on_cluster.submit("nnm-scan:/data/part-7.csv", die))


LEAKED = []


def leak(limit):
    """Use so much memory that Dask pauses the worker, but not so much that it ends it."""
    LEAKED.append(np.ones((int(0.87 * limit) - psutil.Process().memory_info().rss) // 8))


def test_workers_without_memory_are_said(monkeypatch):
    """A worker that uses nearly all of its memory begins no task; where that stays so, nothing would ever happen."""
    monkeypatch.setattr(connection, "NO_WORKERS", 2.0)
    monkeypatch.setattr(connection, "LOOK", 0.5)
    with connect("local:1", memory="1000MiB") as client:
        on_cluster = OnCluster(client)
        on_cluster.gather(on_cluster.submit("nnm-partition", leak, 1000 * 2**20))
        while any(each["status"] == "running" for each in client.scheduler_info()["workers"].values()):
            time.sleep(0.1)
        with pytest.raises(ClusterError, match="All workers have been out of memory for 2 seconds"):
            on_cluster.gather(on_cluster.submit("nnm-size", abs, 1))


def test_a_lost_scheduler_is_said_and_the_fit_goes_on_elsewhere(planted, undisturbed, tmp_path, monkeypatch):
    parts, seen = write_parts(planted, tmp_path / "parts", 2), []
    how = {"ratings_per_partition": 1200, "checkpoint": tmp_path / "kept", "checkpoint_every": 4}
    with connect("local:1") as client:

        def stop_scheduler(sweep):
            if sweep.number == 6:
                client.cluster.close(timeout=5)

        with pytest.raises(ClusterError, match=r"connection to the scheduler was lost.*--resume"):
            fit_parts(parts, OPTIONS, client=client, callback=stop_scheduler, **how)
    with connect("local:1") as client:
        model = fit_parts(
            parts, OPTIONS, client=client, resume=True, callback=lambda sweep: seen.append(sweep.number), **how
        )
        client.cluster.scale(0)
        while client.scheduler_info()["workers"]:
            time.sleep(0.1)
        began = time.monotonic()
        with while_wanted(lambda: time.monotonic() < began + 1), pytest.raises(FitCancelled):
            fit(planted, preset("recommended", starts=2), client=client)  # which no worker begins
        monkeypatch.setattr(connection, "NO_WORKERS", 0.5)
        monkeypatch.setattr(connection, "LOOK", 0.3)
        on_cluster = OnCluster(client)
        with pytest.raises(ClusterError, match="has had no workers for"):
            on_cluster.gather(on_cluster.submit("nnm-add", abs, 1))
    np.testing.assert_allclose(model.mixtures, undisturbed.mixtures, atol=1e-8)
    assert len(seen) == 10
    assert not list((tmp_path / "kept").iterdir())


def test_the_command_line_says_in_a_sentence_that_the_scheduler_was_killed(planted, tmp_path):
    parts, address = write_parts(planted, tmp_path / "parts", 2), f"127.0.0.1:{free_port()}"
    scheduler_flags = ["--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"]
    worker_flags = [f"tcp://{address}", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"]
    fit_flags = ["--cluster", f"tcp://{address}", "--checkpoint", tmp_path / "kept", "--sweeps", "50000", "--tol", "0"]
    with (
        started("distributed.cli.dask_scheduler", *scheduler_flags) as scheduler,
        started("distributed.cli.dask_worker", *worker_flags, cwd=tmp_path),
    ):
        while not listens(address):
            time.sleep(0.1)
        with started("nnm_core.cli", "fit", parts, *fit_flags, stderr=subprocess.PIPE, text=True) as command:
            while command.poll() is None and not list(tmp_path.rglob("manifest.json")):
                time.sleep(0.1)
            scheduler.kill()
            said = command.communicate(timeout=60)[1]
    assert (command.returncode, said.count("\n")) == (2, 1)
    assert said.startswith("nnm: The connection to the scheduler was lost.")


def test_ctrl_c_stops_workers_too_without_a_traceback(planted, tmp_path):
    parts, flags = write_parts(planted, tmp_path / "parts", 2), ["--cluster", "local:1", "-o", tmp_path / "my.nnm"]
    how = {"stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    how["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # which the shell may have ignored
    with started("nnm_core.cli", "fit", parts, *flags, "--sweeps", "50000", "--tol", "0", **how) as command:
        while command.poll() is None and not list(tmp_path.rglob("manifest.json")):
            time.sleep(0.1)
        os.killpg(command.pid, signal.SIGINT)
        said = command.communicate(timeout=60)[1]
    assert (command.returncode, said.split("\n")) == (130, ["", "nnm: stopped; nothing was written.", ""])
    deadline = time.monotonic() + 30
    while is_there(command.pid):  # the last of its processes
        assert time.monotonic() < deadline
        time.sleep(0.1)


def is_there(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_workers_that_end_slowly_are_no_failure(monkeypatch):
    close = LocalCluster.close

    def close_slowly(cluster):
        close(cluster)
        raise TimeoutError

    monkeypatch.setattr(LocalCluster, "close", close_slowly)
    with connect("local:1") as client:
        assert client.submit(abs, -1).result() == 1


@contextmanager
def started(module, *arguments, **how):
    """A process that runs a module, until it is no longer needed."""
    how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | how
    with subprocess.Popen([sys.executable, "-m", module, *map(str, arguments)], **how) as process:
        try:
            yield process
        finally:
            process.terminate()


def listens(address):
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0
