"""What every session of a server shares: data sets and fitted models, bounded in number."""

from __future__ import annotations

import streamlit as st

from nnm_core import FitOptions, Model, fit
from nnm_core.datasets import Dataset, load_dataset


@st.cache_resource(max_entries=8, show_spinner="Reading the ratings …")
def dataset(name: str) -> Dataset:
    """The data set of that name."""
    return load_dataset(name)[0]


@st.cache_resource(max_entries=64, show_spinner="Fitting … (the first fit on a machine takes half a minute longer)")
def model(name: str, options: FitOptions, seed: int) -> Model:
    """The model of a data set with these options."""
    return fit(dataset(name).ratings, options, seed=seed)
