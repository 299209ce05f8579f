"""From D to D + 1: who stays, who is new, and where people go."""

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, preset
from nnm_core.interpret.compare.lineage import lineage, models_by_dimension, step_between


@pytest.fixture(scope="module")
def line(planted):
    options = FitOptions(fill="none", n_sweeps=40)
    return lineage(models_by_dimension(planted.dataset.ratings, options, 5), planted.dataset.ratings)


def test_every_step_has_one_newcomer(line):
    assert [model.n_stereotypes for model in line.models] == [1, 2, 3, 4, 5]
    for dim, step in enumerate(line.steps, start=1):
        assert step.distances.shape == step.flows.shape == (dim, dim + 1)
        assert len(set(step.heirs.tolist())) == dim
        assert len(step.newcomers) == 1
        assert {*step.heirs.tolist(), *step.newcomers} == set(range(dim + 1))
        np.testing.assert_allclose(step.weights, 1 - step.distances[np.arange(dim), step.heirs])
        assert step.novelty == step.distances[:, step.newcomers[0]].min()


def test_flows_are_shares_of_the_audience(line):
    for (before, after), step in zip(zip(line.models, line.models[1:], strict=False), line.steps, strict=True):
        np.testing.assert_allclose(step.flows.sum(axis=1), before.mixtures.mean(axis=0))
        np.testing.assert_allclose(step.flows.sum(axis=0), after.mixtures.mean(axis=0))


def test_a_planted_stereotype_stays_once_it_is_found(line, planted):
    """There are three: from 3 to 4 all of them stay."""
    assert line.steps[2].weights.min() > 0.85


def test_the_table_is_a_flow_diagram(line):
    table = line.table()
    assert len(table) == 1 * 2 + 2 * 3 + 3 * 4 + 4 * 5
    assert table.groupby("from D")["flow"].sum().tolist() == pytest.approx([1, 1, 1, 1])
    assert table[table["matched"]].groupby("from D").size().tolist() == [1, 2, 3, 4]
    assert table["to"].max() == 5


def test_a_model_becomes_itself(planted):
    step = step_between(planted.model, planted.model, planted.dataset.ratings)
    assert step.heirs.tolist() == [0, 1, 2]
    assert step.newcomers == ()
    assert step.weights.tolist() == [1, 1, 1]


def test_down_a_step_somebody_disappears(line, planted):
    step = step_between(line.models[3], line.models[2], planted.dataset.ratings)
    assert (step.heirs == -1).sum() == 1
    assert step.weights[step.heirs == -1] == 0


def test_ten_dimensions_with_generosity(bundled):
    found = lineage(models_by_dimension(bundled.ratings, preset("recommended")), bundled.ratings)
    assert len(found.steps) == 9
    assert all(0 < step.flows.sum() < 1 for step in found.steps)


def test_unlike_models_are_refused(planted, bundled, recommended):
    with pytest.raises(InputError, match="same ratings"):
        lineage([planted.model, recommended], bundled.ratings)
    with pytest.raises(InputError, match="at least 1 stereotype"):
        models_by_dimension(planted.dataset.ratings, FitOptions(), 0)
