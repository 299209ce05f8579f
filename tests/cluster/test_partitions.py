"""The fit on partitions against the fit on one machine, without a cluster: every task runs at once, in this process."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnm_core import Ratings, Scale, fit, load_model, preset, save_model
from nnm_core.cluster import alternation
from nnm_core.cluster.alternation import SpreadLikes
from nnm_core.cluster.fit_parts import fit_spread
from nnm_core.cluster.partition import Items, Users
from nnm_core.cluster.spread import load_parts, prepare
from nnm_core.cluster.tasks import InProcess
from nnm_core.datasets import load_dataset
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import NO_HINTS
from nnm_core.errors import DataError, InputError
from nnm_core.fitting.likes import InMemoryLikes, _Phase, find_pattern
from nnm_core.fitting.workers import Workers
from nnm_core.storage import model_bytes
from tests.cluster.conftest import divide_ratings, table_of, write_parts
from tests.planted import planted_ratings

TASKS = InProcess()
OPTIONS = {
    "paper": preset("paper"),
    "recommended": preset("recommended", n_stereotypes=4, n_sweeps=12),
    "momentum": preset("paper", n_stereotypes=2, momentum=True, fill="none"),
    "zeros throughout": preset("paper", fill_sweeps=16, momentum=True),
    "sampled zeros": preset("recommended", fill="sampled", n_stereotypes=2, n_sweeps=10),
    "sampled zeros throughout": preset("paper", fill="sampled", fill_sweeps=16),
    "no generosity": preset("recommended", generosity=False, n_sweeps=8),
    "one stereotype": preset("recommended", n_stereotypes=1, n_sweeps=6),
}


def both(ratings, bounds, options):
    """Return the alternation on partitions and the one in memory, at the same random start, in the same phase."""
    loaded = divide_ratings(ratings, bounds)
    in_fill = options.fill != "none"
    spread = SpreadLikes(prepare(TASKS, loaded, options), options, in_fill=in_fill, rng=np.random.default_rng(1))
    dim, rng = options.n_stereotypes, np.random.default_rng(1)
    spread.begin(dim)
    workers = Workers(1)
    known = _Phase.of_known(ratings, options.shrinkage)
    filled = _Phase.of_filled(ratings, options, rng) if in_fill else known
    pattern = find_pattern(ratings, options, workers)
    return spread, InMemoryLikes(ratings, filled, known, dim, rng, pattern, workers)


def assert_same(spread, local):
    np.testing.assert_allclose(spread.mixtures_of(spread.state()), local.factors.mixtures, atol=1e-8)
    np.testing.assert_allclose(spread.answers, local.factors.likes, atol=1e-8)
    np.testing.assert_allclose(spread.mean_mixture(), local.factors.mean_mixture, atol=1e-8)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_half_step_is_that_of_one_machine(name, planted):
    """From the same state: what is in memory is moved to where the partitions are before each sweep."""
    options = OPTIONS[name]
    spread, local = both(planted, [0, 1, 7, 150, 300], options)
    for sweep in range(6):
        if sweep == 2 and options.fill_sweeps < options.n_sweeps:
            spread.count_known_only(options.generosity)
            local.count_known_only(options.generosity)
        facts, bounds = spread.ratings.facts, spread.ratings.bounds
        users = [Users(part.copy()) for part in np.split(local.factors.mixtures, bounds[1:-1])]
        state = spread.state()
        spread.restore(replace(state, users=users, items=Items.at(local.answers, facts)))
        np.testing.assert_allclose(spread.sweep(), local.sweep(), rtol=1e-10)
        assert_same(spread, local)
        assert spread.squared_error() == pytest.approx(local.squared_error(), rel=1e-10)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_whole_fit_ends_in_the_same_model(name, planted):
    options = OPTIONS[name]
    expected = fit(planted, options, seed=3)
    model = fit_spread(TASKS, divide_ratings(planted, [0, 100, 300]), options, seed=3)
    np.testing.assert_allclose(model.mixtures, expected.mixtures, atol=1e-6)
    np.testing.assert_allclose(model.answers, expected.answers, atol=1e-6)
    np.testing.assert_allclose(model.traces[0].objectives, expected.traces[0].objectives, rtol=1e-9)
    np.testing.assert_allclose(model.traces[0].movements, expected.traces[0].movements, atol=1e-7)
    assert model.data_hash == expected.data_hash
    np.testing.assert_allclose(model.mean_answer, expected.mean_answer, rtol=1e-12)


def test_several_starts_and_busy_people(small):
    """Among so few people everybody gave more than a hundredth of all ratings; the busiest are tried elsewhere."""
    options = preset("recommended", n_stereotypes=4, starts=2, n_sweeps=8)
    expected = fit(small, options, seed=2)
    loaded = divide_ratings(small, [0, 20, 45, small.n_users])
    assert len(prepare(TASKS, loaded, options).busy) == 6
    model = fit_spread(TASKS, loaded, options, seed=2)
    np.testing.assert_allclose(model.mixtures, expected.mixtures, atol=1e-7)
    assert len(model.traces[0].movements) == len(expected.traces[0].movements) > 8  # somebody was moved
    assert (model.atlas.n_starts, model.atlas.n_best) == (2, expected.atlas.n_best)


def test_mixtures_of_many_users_lie_in_a_file_until_the_model_is_stored(planted, tmp_path, monkeypatch):
    options, loaded = preset("recommended", n_stereotypes=4, n_sweeps=8), divide_ratings(planted, [0, 100, 300])
    expected = fit_spread(TASKS, loaded, options)
    monkeypatch.setattr(alternation, "MANY_BYTES", 1)
    model = fit_spread(TASKS, loaded, options)
    assert isinstance(model.mixtures.base, np.memmap)
    np.testing.assert_array_equal(model.mixtures, expected.mixtures)
    assert model.mixtures.mean(axis=0)[:4].tolist() == sorted(model.mixtures.mean(axis=0)[:4], reverse=True)
    save_model(model, tmp_path / "my.nnm")
    assert (tmp_path / "my.nnm").read_bytes() == model_bytes(expected)
    np.testing.assert_array_equal(load_model(tmp_path / "my.nnm").mixtures, expected.mixtures)


@pytest.mark.movielens
def test_movielens_100k(ml_100k):
    ratings, options = ml_100k.ratings, preset("recommended", n_stereotypes=4)
    expected = fit(ratings, options)
    model = fit_spread(TASKS, divide_ratings(ratings, [0, 100, 101, 400, ratings.n_users]), options)
    assert model.converged
    np.testing.assert_allclose(model.mixtures, expected.mixtures, atol=1e-8)
    np.testing.assert_allclose(model.answers, expected.answers, atol=1e-8)


@settings(max_examples=25)
@given(st.data())
def test_any_partition_gives_the_same_sweep(data):
    n_users, n_items = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 9))
    pairs = st.tuples(st.integers(0, n_users - 1), st.integers(0, n_items - 1))
    cells = data.draw(st.lists(pairs, min_size=1, max_size=40, unique=True))
    values = data.draw(st.lists(st.integers(1, 5), min_size=len(cells), max_size=len(cells)))
    users, items = zip(*cells, strict=True)
    ratings = Ratings.from_arrays(users, items, values, scale=Scale(1, 5))
    cuts = data.draw(st.sets(st.integers(1, max(ratings.n_users - 1, 1)), max_size=5))
    bounds = sorted({0, *cuts, ratings.n_users})
    options = preset("recommended", n_stereotypes=data.draw(st.integers(1, 4)), kinship=data.draw(st.integers(0, 3)))
    spread, local = both(ratings, bounds, options)
    for _ in range(2):
        np.testing.assert_allclose(spread.sweep(), local.sweep(), rtol=1e-8, atol=1e-10)
    assert_same(spread, local)


def load(folder, per_partition=700, **more):
    return load_parts(TASKS, str(folder), NO_HINTS, Cleaning(**more), per_partition)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(("n_parts", "shuffled"), [(1, True), (3, True), (3, False)])
def test_parts_are_read_as_one_file_is(planted, tmp_path, kind, n_parts, shuffled):
    loaded = load(write_parts(planted, tmp_path / "parts", n_parts, kind, shuffled=shuffled))
    assert len(loaded.partitions) > 4
    assert (loaded.user_ids, loaded.item_ids, loaded.scale) == (planted.user_ids, planted.item_ids, planted.scale)
    assert loaded.content_hash == planted.content_hash
    sizes = np.array([len(each.by_user.partners) for each in loaded.partitions])
    assert sizes.max() < 2 * sizes.mean()


def test_ids_that_are_no_numbers_and_repeated_ratings(tmp_path):
    ratings = planted_ratings(n_users=60, n_items=20, n_stereotypes=2, density=0.4, seed=1)[0]
    table = table_of(ratings).assign(user=lambda t: "u" + t.user, item=lambda t: "é" + t.item)
    again = table.sample(40, random_state=0).assign(rating=1.0)
    (tmp_path / "parts" / "_temporary").mkdir(parents=True)
    table.to_csv(tmp_path / "parts" / "a.csv.gz", index=False)
    again.to_csv(tmp_path / "parts" / "b.csv", index=False)
    (tmp_path / "parts" / "_temporary" / "c.csv").write_text("no part\n")
    (tmp_path / "parts" / "_SUCCESS").write_text("")
    both = type(table)(np.concatenate([table.values, again.values]), columns=table.columns)
    for keep in ("first", "last"):
        expected = Ratings.from_arrays(both.user, both.item, both.rating.astype(float), duplicates=keep)
        assert load(tmp_path / "parts", duplicates=keep).content_hash == expected.content_hash


def test_bad_rows_are_named_with_their_part(planted, tmp_path):
    folder = write_parts(planted, tmp_path / "parts", 3, "csv")
    with (folder / "part-1.csv").open("a") as file:
        file.write("7,8,rather good\n,8,3\n")
    loaded = load(folder)
    assert [(path, each.count, each.reason) for path, each in loaded.dropped] == [
        (str(folder / "part-1.csv"), 1, "no user id"),
        (str(folder / "part-1.csv"), 1, "the rating is not a number"),
    ]
    assert loaded.content_hash == planted.content_hash


def assert_loaded_like(loaded, dataset):
    ratings = dataset.ratings
    assert (loaded.user_ids, loaded.item_ids, loaded.scale) == (ratings.user_ids, ratings.item_ids, ratings.scale)
    np.testing.assert_array_equal(loaded.levels, ratings.levels)
    assert loaded.content_hash == ratings.content_hash
    partners = np.concatenate([each.by_user.partners for each in loaded.partitions])
    np.testing.assert_array_equal(partners, ratings.by_user.partners)


@pytest.mark.parametrize("is_continuous", [False, True])
@pytest.mark.parametrize(
    "cleaning",
    [
        {"min_user_ratings": 18},
        {"min_item_ratings": 100},
        {"min_user_ratings": 8, "min_item_ratings": 80},
        {"n_bins": 2},
        {"n_bins": 3, "min_user_ratings": 16},
        {"duplicates": "first"},
    ],
)
def test_minima_and_bins_are_those_of_one_machine(planted, tmp_path, cleaning, is_continuous):
    table = table_of(planted)
    if is_continuous:
        table.rating += np.random.default_rng(0).random(len(table)).round(3) / 10
    again = table.sample(200, random_state=1).assign(rating=table.rating.max() + 0.0312 * is_continuous)
    table = pd.concat([table, again])
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
        table.iloc[rows].to_csv(folder / f"part-{number}.csv", index=False)
    table.to_csv(tmp_path / "all.csv", index=False)
    dataset, report = load_dataset(str(tmp_path / "all.csv"), cleaning=Cleaning(**cleaning))
    loaded = load(folder, **cleaning)
    assert_loaded_like(loaded, dataset)
    assert [(each.reason, each.count) for _, each in loaded.dropped] == [
        (each.reason, each.count) for each in report.dropped
    ]
    assert "the same user rated the same item again" in report.dropped[0].reason
    assert ("n_bins" in cleaning) == any("levels" in str(note) for note in loaded.notes)


def test_means_of_repeated_ratings(planted, tmp_path):
    table = table_of(planted)
    again = table.sample(300, random_state=1).assign(rating=1.0)
    for name, own in (("a", table), ("b", again)):
        (tmp_path / "parts").mkdir(exist_ok=True)
        own.to_csv(tmp_path / "parts" / f"{name}.csv", index=False)
    both = pd.concat([table, again])
    expected = Ratings.from_arrays(both.user, both.item, both.rating, duplicates="mean")
    assert load(tmp_path / "parts", duplicates="mean").content_hash == expected.content_hash
    again.assign(rating=1.03).to_csv(tmp_path / "parts" / "b.csv", index=False)
    with pytest.raises(DataError, match="the mean of such ratings is not formed on a cluster"):
        load(tmp_path / "parts", duplicates="mean", scale=Scale(1, 5, 0))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PAR1 and then nothing", r"part-1\.parquet cannot be read as a Parquet file"),
        (b"a,b\n1,2\n", r"part-1\.parquet has the columns a, b, and the first part has user, item, rating"),
    ],
)
def test_a_part_that_cannot_be_read_is_named(planted, tmp_path, content, message):
    folder = write_parts(planted, tmp_path / "parts", 3)
    (folder / "part-1.parquet").write_bytes(content)
    with pytest.raises(DataError, match=message):
        load(folder)


def test_what_a_cluster_cannot_do_is_refused(planted, tmp_path):
    from nnm_core.cluster import fit_parts

    folder = write_parts(planted, tmp_path / "parts", 1)
    with pytest.raises(InputError, match="has no mode='stars', no anchors"):
        fit_parts(folder, preset("paper", mode="stars", anchors=(5, 5)), client=None)
    with pytest.raises(DataError, match="No user has 9,999 ratings of items that have 1; ask for fewer"):
        load(folder, min_user_ratings=9999)
    with pytest.raises(DataError, match="There is no file, folder or bucket"):
        load(tmp_path / "nowhere")
