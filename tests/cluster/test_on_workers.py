"""Real worker processes: the same model as on one machine, progress and cancel, buckets, and evaluations as tasks."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from distributed import Client
from distributed.security import Security

from nnm_core import FitCancelled, fit, load_model, preset
from nnm_core.cli import main
from nnm_core.cluster import ClusterError, connect, connection, elsewhere, fit_parts
from nnm_core.errors import DataError, InputError
from nnm_core.evaluation import cross_validate, error_curve, random_folds
from nnm_core.interpret.compare import refits
from tests.cluster.conftest import write_parts

OPTIONS = preset("recommended", n_stereotypes=3, n_sweeps=10)
SMALL = {"ratings_per_partition": 1000}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Where nobody answers, do not wait for long."""
    monkeypatch.setattr(connection, "_TIMEOUT", "2 s")


@pytest.fixture(scope="module")
def parts(planted, tmp_path_factory):
    return write_parts(planted, tmp_path_factory.mktemp("data") / "parts", 3)


@pytest.fixture(scope="module")
def expected(planted):
    return fit(planted, OPTIONS)


def assert_same(model, expected):
    assert (model.data_hash, model.user_ids, model.item_ids) == (
        expected.data_hash,
        expected.user_ids,
        expected.item_ids,
    )
    np.testing.assert_allclose(model.mixtures, expected.mixtures, atol=1e-8)
    np.testing.assert_allclose(model.answers, expected.answers, atol=1e-8)


def test_the_model_is_that_of_one_machine(client, parts, expected):
    seen, read = [], []
    model = fit_parts(parts, OPTIONS, client=client, callback=seen.append, on_reading=lambda *step: read.append(step))
    assert_same(model, expected)
    assert [sweep.number for sweep in seen] == list(range(1, 11))
    assert seen[-1].share == pytest.approx(1.0)
    assert seen[-1].training_error == pytest.approx(expected.traces[0].training_errors[-1])
    assert [share for share, _ in read] == sorted(share for share, _ in read)


def test_a_watcher_sees_the_factors_and_can_cancel(client, parts, planted):
    def watch(sweep):
        snapshot = sweep.snapshot()
        users, items = planted.users[:50], planted.items[:50]
        np.testing.assert_allclose(
            sweep.expect(users, items), (snapshot.mixtures[users] * snapshot.likes[items]).sum(axis=1)
        )
        return sweep.number < 3

    with pytest.raises(FitCancelled, match="after 3 iterations"):
        fit_parts(parts, OPTIONS, client=client, callback=watch)


def test_a_part_that_a_worker_cannot_read_is_named(client, planted, tmp_path):
    folder = write_parts(planted, tmp_path / "parts", 2)
    (folder / "part-1.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match=r"part-1\.parquet cannot be read as a Parquet file"):
        fit_parts(folder, OPTIONS, client=client)


def test_fit_takes_parts_too(client, parts):
    options = preset("paper", n_sweeps=3)
    with pytest.raises(InputError, match="give the client of a cluster"):
        fit(parts, options)
    model = fit(parts, options, client=client, seed=4)
    assert (model.seed, model.n_users, len(model.traces[0].movements)) == (4, 300, 3)


def test_starts_are_tasks_and_give_the_same_model(client, planted):
    options = preset("recommended", n_stereotypes=2, starts=3)
    expected, sweeps = fit(planted, options), []
    model = fit(planted, options, client=client, callback=sweeps.append)
    np.testing.assert_array_equal(model.mixtures, expected.mixtures)
    assert (model.atlas.n_starts, model.atlas.n_best) == (3, expected.atlas.n_best)
    assert sweeps[0].number == 1
    with pytest.raises(FitCancelled):
        fit(planted, options, client=client, callback=lambda _: False)


def test_an_evaluation_has_the_same_figures(client, planted):
    folds, seen, points = random_folds(planted, 2), [], []
    expected = cross_validate(planted, OPTIONS, folds, per_sweep=True)
    found = cross_validate(planted, OPTIONS, folds, per_sweep=True, callback=seen.append, client=client)
    assert found.scores == expected.scores
    assert [fold.sweeps for fold in found.folds] == [fold.sweeps for fold in expected.folds]
    assert seen[-1].done == seen[-1].total == 2
    curve = error_curve(planted, [1, 2], OPTIONS, folds, client=client, on_point=lambda *point: points.append(point))
    assert curve.table()["mae"].tolist() == error_curve(planted, [1, 2], OPTIONS, folds).table()["mae"].tolist()
    assert sorted(n for n, _ in points) == [1, 2]
    with pytest.raises(FitCancelled):
        cross_validate(planted, OPTIONS, folds, callback=lambda _: False, client=client)


def test_the_starts_of_every_fold_are_tasks(client, planted, monkeypatch):
    options, folds = preset("recommended", n_stereotypes=2, starts=3, n_sweeps=10), random_folds(planted, 2)
    expected, n_calls, run = cross_validate(planted, options, folds), [], elsewhere.run_elsewhere

    def counted(client, function, calls, *more):
        n_calls.append(len(calls))
        return run(client, function, calls, *more)

    monkeypatch.setattr(elsewhere, "run_elsewhere", counted)
    assert cross_validate(planted, options, folds, client=client).scores == expected.scores
    assert sorted(n_calls) == [1, 1, 2, 2]  # the first start of each fold, then the others side by side
    assert cross_validate(planted, options, folds, per_sweep=True, client=client).scores == expected.scores
    with pytest.raises(FitCancelled):
        cross_validate(planted, options, folds, callback=lambda _: False, client=client)


def test_refits_are_tasks_side_by_side(client, planted):
    model, shares = fit(planted, preset("recommended", n_stereotypes=2, n_sweeps=20)), []
    expected = refits(planted, model, 3, callback=lambda sweep: shares.append(sweep.share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    found = refits(planted, model, 3, callback=lambda sweep: shares.append(sweep.share), client=client)
    assert [each.seed for each in found] == [0, 1, 2, 3]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.mixtures, other.mixtures)
    assert 0 < shares[-1] <= 1
    with pytest.raises(FitCancelled):
        refits(planted, model, 3, callback=lambda _: False, client=client)


def test_local_workers_keep_memory_that_they_freed(client):
    """Else an array that is made again is made of new pages, which takes longer than to fill it."""
    assert set(client.run(os.getenv, "MALLOC_TRIM_THRESHOLD_").values()) == {None}


def test_workers_without_this_program_are_said(client, monkeypatch):
    monkeypatch.setattr(connection, "_PROGRAM", "nnm_of_another_name")
    said = "2 of 2 workers do not have this program, such as the one at tcp://127"
    with pytest.raises(ClusterError, match=said), connect(client.scheduler.address):
        pass


def test_tls_and_a_bucket(planted, expected, tmp_path, s3):
    """Workers read the parts from an S3 bucket and keep checkpoints there; all connections are encrypted."""
    bucket = s3.create_bucket(Bucket="ratings")
    for path in write_parts(planted, tmp_path / "parts", 2).iterdir():
        bucket.upload_file(str(path), f"all/{path.name}")
    with connect("local:2", security=Security.temporary()) as client:
        assert client.scheduler.address.startswith("tls://")
        assert all(worker.startswith("tls://") for worker in client.scheduler_info()["workers"])
        kept = []
        model = fit_parts(
            "s3://ratings/all",
            OPTIONS,
            client=client,
            checkpoint="s3://ratings/checkpoints",
            callback=lambda _: kept.append({each.key for each in bucket.objects.filter(Prefix="checkpoints")}),
            **SMALL,
        )
        with pytest.raises(ClusterError, match="No scheduler answers"), connect(client.scheduler.address):
            pass  # without the certificate
    assert_same(model, expected)
    assert any(any(key.endswith("manifest.json") for key in keys) for keys in kept)
    assert not list(bucket.objects.filter(Prefix="checkpoints"))


def test_the_command_line(client, parts, expected, tmp_path, capsys):
    flags = ["-D", "3", "--sweeps", "10", "--cluster", client.scheduler.address]
    assert main(["fit", str(parts), *flags, "-o", str(tmp_path / "my.nnm")]) == 0
    assert_same(load_model(tmp_path / "my.nnm"), expected)
    assert main(["fit", str(parts), "--resume"]) == 2
    assert "--checkpoint and --resume are for fits on a cluster" in capsys.readouterr().err
    assert main(["evaluate", str(parts / "part-0.parquet"), *flags, "--folds", "2", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(parts / "part-0.parquet"), *flags[:4], "--folds", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mae"] == figures["mae"]
    assert main(["fit", str(parts), "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "No scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    here = tmp_path / "here"
    here.mkdir()
    assert main(["fit", str(parts), *flags[:4], "--cluster", "local:1", "-o", str(here / "my.nnm")]) == 0
    assert [path.name for path in here.iterdir()] == ["my.nnm"]  # checkpoints are gone
    assert_same(load_model(here / "my.nnm"), expected)


def test_without_a_cluster_nothing_of_dask_is_imported():
    code = (
        "import sys, nnm_core, nnm_core.cli.commands, dashboard.compute.evaluations, dashboard.app\n"
        "from nnm_core import Ratings, fit\n"
        "from dashboard.compute.cluster import client_for_long_jobs\n"
        "fit(Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4]))\n"
        "assert client_for_long_jobs() is None\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NNM_CLUSTER"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert not {"dask", "distributed"} & set(done.stdout.split())


class Quiet:
    """Somebody who wants to know how far the work is."""

    def __init__(self):
        self.shares = []

    def report(self, share, _step):
        self.shares.append(share)


def test_long_jobs_of_the_dashboard_run_on_the_cluster(client, monkeypatch):
    from dashboard.compute import cluster, evaluations, jobs, store
    from nnm_core.cli import server_settings
    from nnm_core.datasets import load_dataset

    dataset, clients = load_dataset("demo")[0], []

    def watched_fit(*arguments, client=None, **more):
        clients.append(client)
        return fit(*arguments, client=client, **more)

    monkeypatch.setenv("NNM_CLUSTER", client.scheduler.address)
    monkeypatch.setattr(store, "LONG", 0.0)
    monkeypatch.setattr(store, "fit", watched_fit)
    server_settings.current.cache_clear()
    options = preset("recommended", n_stereotypes=2, starts=2)
    try:
        model = store.model(dataset, options, 7, jobs.AHEAD, patience=60)
        here = cluster.client_for_long_jobs()
        assert isinstance(here, Client)
        assert clients == [here]
        np.testing.assert_array_equal(model.mixtures, fit(dataset.ratings, options, seed=7).mixtures)
        watcher = Quiet()
        curve = evaluations.evaluate_curve(evaluations.Experiment.of(dataset, model, 2), [1, 2], watcher)
        folds = random_folds(dataset.ratings, 2, 7)
        single = preset("recommended", n_stereotypes=2)
        assert (
            curve.evaluations[1].scores
            == error_curve(dataset.ratings, [1], single, folds, seed=7).evaluations[1].scores
        )
        assert watcher.shares[-1] == 1.0
        stability = evaluations.evaluate_stability(dataset, model, None, "damped", 1, watcher)
        assert stability.distances.shape == (1, 2)
        monkeypatch.setenv("NNM_CLUSTER", "tcp://127.0.0.1:9")
        server_settings.current.cache_clear()
        cluster.disconnect()
        assert cluster.client_for_long_jobs() is None  # the work is then done in the server
    finally:
        cluster.disconnect()
        monkeypatch.delenv("NNM_CLUSTER")
        server_settings.current.cache_clear()
