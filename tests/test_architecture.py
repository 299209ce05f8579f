"""Which way imports point, read from the source of every module of both packages, and which names are public.

An import counts wherever it stands: at the top, inside a function, or as a string that names a module, such as
"dashboard.server:run".
"""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import networkx as nx
import numpy as np
import pytest

import nnm_core

ROOT = Path(nnm_core.__file__).parents[1]
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("nnm_core", "dashboard")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "migrations" not in path.parts  # which Alembic runs, and nobody imports
}
NAMED = re.compile(r"(nnm_core|dashboard)(\.\w+)+(:\w+)?")

# What each part of the dashboard may import of the others; every part may import nnm_core.
# views → components → compute and figures, never back, and no page imports another.
MAY_IMPORT = {
    "app": "views components compute metrics session streamlit_compat theme visitors wording",
    "server": "app compute download_route guard logs metrics owner_cookie readiness session storage streamlit_compat",
    "download_route": "compute visitors",
    "guard": "metrics streamlit_compat visitors wording",  # what every request passes
    "visitors": "owner_cookie streamlit_compat",
    "readiness": "storage",
    "logs": "streamlit_compat",
    "metrics": "",
    "serving": "",
    "report": "components compute figures session theme wording",
    "views": "components compute export figures learn theme session link wording streamlit_compat",
    "learn": "learn components compute figures theme session link wording streamlit_compat",
    "components": "components compute export figures theme session link visitors wording streamlit_compat",
    "compute": "compute metrics session storage theme wording streamlit_compat",
    "storage": "storage",
    "session": "compute link theme streamlit_compat visitors",  # holds the jobs and the store of one visitor
    "export": "export theme wording",
    "figures": "figures theme wording",
    "theme": "theme streamlit_compat",
    "link": "wording streamlit_compat",
    "wording": "",
    "owner_cookie": "storage",
    "streamlit_compat": "",
}
# Where the library names the dashboard: `nnm` starts it, `nnm report` writes its report and `nnm store` checks what it
# keeps, all by a string that is looked up when they do.
DOORS = {
    ("nnm_core.cli", "dashboard.server"),
    ("nnm_core.cli", "dashboard.storage.records"),
    ("nnm_core.cli.commands", "dashboard.report"),
}


def module_of(name: str) -> str:
    """Return the module that a dotted name lies in, or its first part where that is not ours."""
    while name not in FILES and "." in name:
        name = name.rpartition(".")[0]
    return name


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


def names_in(node: ast.AST) -> set[str]:
    """Return the modules that one node of the source imports or names."""
    if isinstance(node, ast.Import):
        return {module_of(alias.name) for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are written out in full"
        return {module_of(f"{node.module}.{alias.name}") for alias in node.names}
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
        return {module_of(node.value.partition(":")[0])}
    return set()


@cache
def imported_by(module: str) -> set[str]:
    """Return all modules that a module imports or names, anywhere in its source."""
    return {name for node in ast.walk(tree_of(module)) for name in names_in(node)} - {module}


@cache
def imported_at_once(module: str) -> set[str]:
    """Return the modules that importing a module brings in directly, its parents included, but not functions' own."""
    found = {module.rpartition(".")[0]} & set(FILES)
    waiting: list[ast.AST] = [tree_of(module)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= names_in(node)
        for child in ast.iter_child_nodes(node):
            lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            if not lazy and not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
                waiting.append(child)
    return found - {module}


def part_of(module: str) -> str:
    """Return the part of the dashboard that a module belongs to: its folder, or its own name at the top.

    Each module around the pages is a part of its own, for pages may import some and others import them.
    """
    parts = module.removeprefix("dashboard.serving.").split(".")
    return parts[0] if module.startswith("dashboard.serving.") else ".".join(parts[1:2])


def libraries(modules: set[str]) -> set[str]:
    """Return the first parts of the names that are not modules of ours."""
    return {name.partition(".")[0] for name in modules if name not in FILES}


LIBRARY = [name for name in FILES if name.startswith("nnm_core")]
DASHBOARD = [name for name in FILES if name.startswith("dashboard.")]


@pytest.mark.parametrize("module", LIBRARY)
def test_the_library_knows_no_dashboard(module):
    found = {name for name in imported_by(module) if (module, name) not in DOORS}
    assert not libraries(found) & {"streamlit", "plotly"}
    assert not [name for name in found if name.split(".")[0] == "dashboard"]


@pytest.mark.parametrize("module", FILES)
def test_only_kernels_are_compiled(module):
    if not module.startswith("nnm_core._kernels"):
        assert not libraries(imported_by(module)) & {"numba", "llvmlite"}


@pytest.mark.parametrize("module", DASHBOARD)
def test_the_dashboard_points_one_way(module):
    allowed = MAY_IMPORT[part_of(module)].split()
    ours = [name for name in imported_by(module) if name.startswith("dashboard.")]
    assert [name for name in ours if part_of(name) not in allowed] == []


@pytest.mark.parametrize("module", [name for name in DASHBOARD if part_of(name) in ("figures", "theme", "export")])
def test_pictures_and_files_need_no_streamlit(module):
    graph = nx.DiGraph((name, other) for name in FILES for other in imported_at_once(name))
    assert "streamlit" not in libraries(nx.descendants(graph, module))


def test_no_module_imports_itself_around_a_circle():
    graph = nx.DiGraph((name, other) for name in FILES for other in imported_at_once(name) if other in FILES)
    # A package imports its modules, and Python imports the package before them: that circle is harmless.
    graph.remove_edges_from([(name, name.rpartition(".")[0]) for name in FILES])
    assert list(nx.simple_cycles(graph)) == []


def test_modules_named_by_strings_exist():
    texts = {
        node.value
        for module in FILES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value)
    }
    assert "dashboard.server:run" in texts
    assert "nnm_core.cli.commands:run_fit" in texts
    for text in texts:
        resolve_name(text)


def run(code: str, *arguments: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_can_be_imported():
    """In a random order: as there are no circles, no module needs another to be imported before it."""
    modules = [name for name in FILES if not name.endswith("__main__")]
    order = np.random.default_rng(0).permutation(modules)
    run("import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]", *order)


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("nnm_core", "numpy scipy pandas numba pyarrow networkx requests streamlit plotly dashboard"),
        ("nnm_core.cli", "pandas pyarrow networkx matplotlib surprise streamlit plotly dashboard"),
        ("nnm_core.cli.commands", "matplotlib surprise streamlit plotly dashboard dask distributed"),
        ("nnm_core.cluster", "streamlit plotly dashboard dask distributed"),
    ],
)
def test_importing_stays_light(module, absent):
    loaded = run(f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})").split()
    assert not set(loaded) & set(absent.split())


PUBLIC = """
    DataError FitCancelled FitOptions InputError Model ModelFileError NnmError PRESETS Ratings Recommendation Scale
    Sweep Trace average contributions extend fit fold_in_item fold_in_items fold_in_user fold_in_users load_model
    predict predict_distribution preset save_model top_n
"""


def test_public_names():
    assert sorted(nnm_core.__all__) == PUBLIC.split()
    assert all(hasattr(nnm_core, name) for name in nnm_core.__all__)


@pytest.mark.parametrize("package", [name for name, path in FILES.items() if path.name == "__init__.py"])
def test_packages_have_what_they_promise(package):
    module = resolve_name(package)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []
    assert module.__doc__
