"""A recorded fit: the same model as without the recorder, and every half-step the best answer to the one before."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from nnm_core import FitOptions, InputError, fit, preset
from nnm_core.fitting.recording import record_fit


@pytest.mark.parametrize("momentum", [False, True])
def test_recording_changes_nothing(small, momentum):
    options = preset("paper", momentum=momentum)
    recording = record_fit(small, options, seed=3)
    model = fit(small, options, seed=3)
    np.testing.assert_array_equal(recording.mixtures[-1], model.mixtures)
    np.testing.assert_array_equal(recording.likes[-1], model.likes)
    np.testing.assert_array_equal(recording.training_errors, model.traces[0].training_errors)
    assert (recording.n_sweeps, recording.n_filled) == (16, 2)


def test_everybody_starts_in_a_corner(small):
    start = record_fit(small, preset("paper"), seed=3).mixtures[0]
    assert sorted(np.unique(start).tolist()) == [0, 1]
    np.testing.assert_array_equal(start.sum(axis=1), 1)
    assert (start.sum(axis=0) > 8).all()  # of 60 people, each of three corners gets some


@pytest.mark.parametrize("sweep", [0, 1, 2, 9])
def test_items_answer_the_mixtures_before_them(small, sweep):
    """By an independent solver; in the first two sweeps unknown ratings count as zeros."""
    recording = record_fit(small, preset("paper"), seed=3)
    people = recording.mixtures[sweep]
    for item in (0, 11, 25):
        ratings = np.zeros(small.n_users)
        mine = small.items == item
        ratings[small.users[mine]] = small.scale.to_unit(small.values[mine])
        rows = slice(None) if sweep < recording.n_filled else small.users[mine]
        best = lsq_linear(people[rows], ratings[rows], (0, 1)).cost
        residual = people[rows] @ recording.likes[sweep, item] - ratings[rows]
        assert residual @ residual / 2 == pytest.approx(best, abs=1e-6)


def test_errors_are_those_of_the_recorded_factors(small):
    recording = record_fit(small, preset("paper"), seed=3)
    targets = small.scale.to_unit(small.values)
    for sweep in (0, 5, 15):
        people, likes = recording.mixtures[sweep + 1][small.users], recording.likes[sweep][small.items]
        error = 5 * np.sqrt(np.mean(((people * likes).sum(axis=1) - targets) ** 2))
        assert recording.training_errors[sweep] == pytest.approx(error)


def test_other_methods_are_refused(small):
    for options in (preset("recommended"), preset("accurate"), FitOptions(mode="stars")):
        with pytest.raises(InputError, match="can be recorded"):
            record_fit(small, options)
