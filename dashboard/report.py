"""The report of the dashboard from the shell: ``nnm report`` calls ``report_of``."""

from __future__ import annotations

import math
from functools import partial

from dashboard import theme
from dashboard.components import ordering
from dashboard.components.report import make_report
from dashboard.compute import jobs, store
from dashboard.compute.current import View
from dashboard.compute.evaluations import Reporting, evaluate_taste
from dashboard.figures.hierarchy import Chosen
from dashboard.session import Spec
from nnm_core import FitOptions, Model
from nnm_core.datasets import Dataset, ImportReport

# What the page Hierarchy opens with
_FIRST_PICTURE = ordering.Asked("", None, (), False, Chosen(None, None), "taste", False)
_LONG_ENOUGH = 3600.0  # seconds


def as_shown(dataset: Dataset, options: FitOptions) -> FitOptions:
    """Return the options of the fit that the dashboard shows in the end: from several starts, where that is quick."""
    return store.improved(dataset, options) or options


def report_of(data: str, dataset: Dataset, report: ImportReport, model: Model, progress: Reporting) -> str:
    """Return the report of a model as HTML; its accuracy is computed, however long that takes.

    ``data``: how the shell named the data; ``progress`` is told how far the work is.
    """
    key = store.model_key(dataset, model.options, model.seed)
    spec, names = Spec(data, model.options, model.seed), model.given_names or ("",) * model.n_stereotypes
    view = View(spec, dataset, report, model, key, theme.LIGHT, names)
    options = view.taste_options
    if view.taste_key is not None and options is not None:
        work = partial(evaluate_taste, dataset, options)
        jobs.start(view.taste_key, "Testing on held-out ratings", work, jobs.AHEAD, "long").wait(_LONG_ENOUGH)
    return make_report(view, _FIRST_PICTURE, "damped", most_seconds=math.inf, progress=progress)
