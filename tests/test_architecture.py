"""Which way imports point, and which names are public."""

import subprocess
import sys

import pytest

import nnm_core


def loaded_by(module: str) -> set[str]:
    """The top-level packages that importing a module brings in, in a fresh interpreter."""
    code = f"import sys, {module}; print(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("nnm_core", {"streamlit", "plotly", "dashboard", "surprise"}),
        ("nnm_core.cli", {"streamlit", "plotly", "dashboard"}),
        ("dashboard.figures.stereotypes", {"streamlit"}),
        ("dashboard.figures.hierarchy", {"streamlit"}),
        ("dashboard.figures.people", {"streamlit"}),
        ("dashboard.export", {"streamlit"}),
    ],
)
def test_imports_point_one_way(module, forbidden):
    assert not loaded_by(module) & forbidden


PUBLIC = """
    DataError FitCancelled FitOptions InputError Model ModelFileError NnmError PRESETS Ratings Recommendation Scale
    Sweep Trace average contributions extend fit fold_in_item fold_in_items fold_in_user fold_in_users load_model
    predict predict_distribution preset save_model top_n
"""


def test_public_names():
    assert sorted(nnm_core.__all__) == PUBLIC.split()
    assert all(hasattr(nnm_core, name) for name in nnm_core.__all__)
