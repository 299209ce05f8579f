"""A server that is killed at random moments: what it acknowledged is there, and nothing is there by half.

``NNM_KILLS=50`` kills it fifty times, as is done before a release.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np

from dashboard.export import csv_bytes, ratings_table
from nnm_core import Ratings
from nnm_core.datasets import Dataset, Labels
from nnm_core.storage import model_bytes
from tests.dashboard.storage.test_records import ROOT, reopened

N_KILLS = int(os.environ.get("NNM_KILLS", "5"))

# What people do with a server, each step told once it is done, and what is taken away also before
WRITER = """
import hashlib, sys
from dashboard.export import csv_bytes, ratings_table
from dashboard.storage import SharedView
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import invented_report
from nnm_core.storage import model_bytes
from tests.dashboard.storage.test_killed import club
from tests.dashboard.storage.test_records import reopened

def tell(*words):
    print(*words, flush=True)

def digest(content):
    return hashlib.sha256(content).hexdigest()

work, run, tokens = reopened(sys.argv[1]), sys.argv[2], {}
work.sweep()
for k in range(10_000):
    key, dataset = f"{run}-{k}", club(1000 * int(run) + k)
    report, ratings = invented_report(dataset), dataset.ratings.content_hash
    work.keep_dataset(key, "ann", dataset, report)
    tell("upload", key, dataset.content_hash)
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    work.keep_model(("fit", key), ratings, model, named=False)
    tell("fit", key, digest(model_bytes(model)))
    work.keep_names("ann", ("fit", key), ratings, [f"Fans-{key}", ""])
    tell("name", key, f"Fans-{key}")
    work.keep_result(("curve", key), ratings, [k, 0.5], named=False)
    tell("curve", key, k)
    view = SharedView(key, key, "people", dataset, report, model)
    tokens[key] = work.shares.make("ann", view, may_download=True, lasts=None)
    tell("share", key, tokens[key])
    tell("export", key, digest(csv_bytes(ratings_table(work.dataset(key, "ann")[0]))))
    before = f"{run}-{k - 1}"
    if k % 3 == 1:
        tell("revoking", before)
        work.shares.revoke(work.shares.find(tokens[before]).id, "ann")
        tell("revoked", before)
    if k % 3 == 2:
        tell("deleting", before)
        work.remove_dataset(before, "ann")
        tell("deleted", before)
"""


def club(seed):
    """Ratings of 40 films by 20 people."""
    values = np.random.default_rng(seed).integers(1, 6, 800)
    people = np.repeat([f"person {k}" for k in range(20)], 40)
    ratings = Ratings.from_arrays(people, np.tile(np.arange(40).astype(str), 20), values)
    return Dataset("club", ratings, tuple(f"Film {k}" for k in range(40)), Labels.none(40))


def digest(content):
    return hashlib.sha256(content).hexdigest()


def found_in(work, key, token):
    """What a restarted server finds of one data set, in the form in which it was acknowledged."""
    found = work.dataset(key, "ann")
    model, names = work.model(("fit", key)), work.names("ann", ("fit", key))
    curve, share = work.results([("curve", key)]), None if token is None else work.shares.find(token)
    return {
        "upload": found and found[0].content_hash,
        "fit": model and digest(model_bytes(model)),
        "name": names[0] if names else None,
        "curve": str(curve["curve", key][0]) if curve else None,
        "share": token if share and work.shares.content(share)[0].content_hash == share.content_hash else None,
        "export": found and digest(csv_bytes(ratings_table(found[0]))),
    }


def killed(folder, run, rng):
    """What a server told before it was killed at a random moment."""
    command = [sys.executable, "-c", WRITER, str(folder), str(run)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        told = [process.stdout.readline() for _ in range(rng.randint(1, 45))]
        time.sleep(rng.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        told += process.stdout.read().splitlines(keepends=True)
    return [line.split() for line in told if line.endswith("\n")]  # what was not told whole was not acknowledged


def test_nothing_that_was_acknowledged_is_lost_and_nothing_is_half_there(tmp_path):
    rng, told, last = random.Random(0), {}, Counter()  # noqa: S311
    reopened(tmp_path)
    for run in range(N_KILLS):
        lines = killed(tmp_path, run, rng)
        last[lines[-1][0]] += 1
        for what, key, *value in lines:
            told.setdefault(key, {})[what] = value[0] if value else True
        work = reopened(tmp_path)
        faults = [fault for fault in work.check() if "Nothing refers" not in fault.what]
        assert faults == []  # missing or damaged
    assert len(told) > N_KILLS
    for key, acknowledged in told.items():
        found = found_in(work, key, acknowledged.get("share"))
        if "deleted" in acknowledged:
            assert set(found.values()) == {None}, key
            continue
        if "deleting" in acknowledged:  # all of it or nothing: the database forgets it in one step
            assert found["upload"] in (None, acknowledged["upload"])
            if found["upload"] is None:
                assert set(found.values()) == {None}, key
                continue
        expected = {what: value for what, value in acknowledged.items() if what in found}
        if "revoked" in acknowledged:
            assert found.pop("share") is None
            del expected["share"]
        elif "revoking" in acknowledged:
            del expected["share"]
        assert {what: found[what] for what in expected} == expected, key
    work.sweep(older_than=-1.0)
    assert work.check() == []
    files = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == path.name for path in files)
    print(f"{N_KILLS} kills, {len(told)} data sets; the last that was told: {dict(last)}")  # noqa: T201
