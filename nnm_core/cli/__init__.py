"""The command line: ``nnm`` starts the dashboard, the other commands do one thing each.

Only what is needed to parse arguments is imported here. ``commands`` has the commands, ``arguments`` what their
arguments ask for, ``output`` what they print.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeAlias

from nnm_core._kernels.compiling import begin_compiling
from nnm_core.cli import server_settings
from nnm_core.errors import NnmError
from nnm_core.option_table import OPTIONS
from nnm_core.options import PRESETS

USAGE_ERROR = 2
INTERRUPTED = 130
_DASHBOARD = "dashboard.server:run"
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    parser = make_parser()
    parsed = parser.parse_args(arguments)
    if parsed.port is not None and parsed.run != _DASHBOARD:
        parser.error("--port is an option of the dashboard, not of this command.")
    try:
        if parsed.fits:
            begin_compiling()  # in a process of its own, while this one imports the rest
        resolve_name(parsed.run)(parsed)
    except NnmError as error:
        print(f"nnm: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("\nnnm: stopped; nothing was written.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has closed it
        sys.stderr.close()
    except OSError as error:  # of a disk that is full, or a file that may not be replaced
        print(f"nnm: {error}", file=sys.stderr)
        return USAGE_ERROR
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nnm", description="Normalized nonnegative models of ratings. Without a command, start the dashboard."
    )
    parser.add_argument("--version", action="version", version=f"nnm-explorer {version('nnm-explorer')}")
    parser.set_defaults(run=_DASHBOARD, fits=True, port=None)
    _add_server(parser)
    subparsers = parser.add_subparsers(metavar="command")

    dashboard = subparsers.add_parser("dashboard", help="start the dashboard (what `nnm` alone does)")
    _add_server(dashboard)

    serve = subparsers.add_parser("serve", help="serve the dashboard for a team; docs/hosting.md tells how")
    serve.add_argument("--settings", type=Path, metavar="FILE", help="a file of settings (TOML); else NNM_SETTINGS")
    server_settings.add_flags(serve)

    _add_fit(subparsers)
    _add_evaluate(subparsers)
    _add_report(subparsers)
    _add_reproduce(subparsers)

    info = subparsers.add_parser("info", help="say what is in a model file")
    info.add_argument("model", type=Path, help="a file that `nnm fit` wrote")
    info.set_defaults(run="nnm_core.cli.commands:run_info", fits=False)

    store = subparsers.add_parser("store", help="look after what the dashboard keeps")
    check = store.add_subparsers(metavar="action", required=True).add_parser(
        "check", help="say what is missing, damaged or unused (NNM_STORE, NNM_DATABASE)"
    )
    check.set_defaults(run="dashboard.storage.records:run_check", fits=False)

    inspect = subparsers.add_parser("inspect", help="say what is in a data file, and what would be left out of it")
    _add_data(inspect)
    inspect.set_defaults(run="nnm_core.cli.commands:run_inspect", fits=False)
    return parser


def _add_fit(subparsers: Subparsers) -> None:
    fitting = subparsers.add_parser("fit", help="fit a model to ratings and store it")
    _add_data(fitting)
    _add_options(fitting)
    fitting.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to store the model (*.nnm)")
    _add_cluster(fitting)
    add = fitting.add_argument
    add("--checkpoint", metavar="FOLDER", help="a folder or bucket that all workers share, for copies while it runs")
    add("--resume", action="store_true", help="go on from the last checkpoint")
    add("--partition", type=int, metavar="N", help="about how many ratings one task of a cluster works on")
    fitting.set_defaults(run="nnm_core.cli.commands:run_fit")


def _add_evaluate(subparsers: Subparsers) -> None:
    evaluation = subparsers.add_parser("evaluate", help="say how well a model predicts ratings that it has not seen")
    _add_data(evaluation)
    _add_options(evaluation)
    evaluation.add_argument(
        "--folds",
        default="5",
        help="how many random folds; or 80/20 for a single split; or u1-u5 for the folds of MovieLens 100K (default 5)",
    )
    evaluation.add_argument("--no-side", action="store_true", help="leave traits, tags and decades out (accurate only)")
    evaluation.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    _add_cluster(evaluation)
    evaluation.set_defaults(run="nnm_core.cli.commands:run_evaluate")


def _add_report(subparsers: Subparsers) -> None:
    report = subparsers.add_parser("report", help="write the dashboard's report of a data set as a page of HTML")
    _add_data(report)
    _add_options(report)
    names = "of the stereotypes, in the report's order; one left empty keeps its own"
    report.add_argument("--names", nargs="+", default=[], metavar="NAME", help=names)
    report.add_argument("-o", "--output", type=Path, default=Path("report.html"), help="default: %(default)s")
    report.set_defaults(run="nnm_core.cli.commands:run_report")


def _add_reproduce(subparsers: Subparsers) -> None:
    again = subparsers.add_parser("reproduce", help="compute the paper's numbers and figures again")
    again.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="holds ml-100k, ml-1m or both")
    again.add_argument("-o", "--output", type=Path, default=Path("docs/reproduction.md"), help="default: %(default)s")
    again.add_argument("--folds", type=int, default=5, choices=range(1, 6), help="of five, how many (default: all)")
    again.add_argument("--peers", nargs="*", metavar="PEER", help="of UserKNN, ItemKNN, NMF, SVD++ (default: all)")
    again.add_argument("--slow", action="store_true", help="SVD++ on 1M too, which takes a quarter of an hour")
    again.set_defaults(run="nnm_core.cli.commands:run_reproduce")


def _add_server(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the dashboard, which ``nnm`` takes with and without the command."""
    # Without SUPPRESS the command's default would overwrite what was given before it.
    parser.add_argument(
        "--port",
        type=int,
        default=argparse.SUPPRESS,
        help="where the dashboard listens (default: the first free port from 8501)",
    )


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        nargs="?",
        default="bundled",
        metavar="DATA",
        help="a file or folder of ratings, or the name of a MovieLens data set (default: the bundled one)",
    )
    add = parser.add_argument_group("reading the data").add_argument
    add("--items", type=Path, metavar="FILE", help="titles and tags of the items")
    add("--users", type=Path, metavar="FILE", help="traits of the people")
    add(
        "--columns",
        nargs="+",
        default=[],
        metavar="NAME",
        help="the columns of users, items and ratings (default: guessed); of a wide table the one that names the rows",
    )
    add("--file", default="", metavar="NAME", help="the file, sheet or table with the ratings, if there are several")
    add("--one-person", action="store_true", help="all rows are ratings of one person, so no column names the users")
    add("--wide", action="store_true", help="a row is a person, and every item has a column, as in a survey")
    add("--transpose", action="store_true", help="a row is an item, and every person has a column")
    add("--traits", nargs="+", default=[], metavar="NAME", help="columns of the ratings that are about the people")
    add("--drop", nargs="+", default=[], metavar="NAME", help="columns that are not used")
    add("--scale", type=float, nargs=3, metavar=("LOW", "HIGH", "STEP"), help="what people could give (default: found)")
    add("--missing", type=float, nargs="+", default=[], metavar="R", help='ratings that mean "seen, not rated"')
    add("--duplicates", choices=("first", "last", "mean"), default="last", help="which of repeated ratings stays")
    add("--min-user-ratings", type=int, default=1, metavar="N", help="leave people with fewer out")
    add("--min-item-ratings", type=int, default=1, metavar="N", help="leave items with fewer out")
    add("--bins", type=int, metavar="N", help="put many different ratings into this many levels")
    add("--accept-licence", action="store_true", help="accept the terms of a data set that has to be downloaded")


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="of a Dask scheduler (tcp://host:8786), or local:2 for two workers here"
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add one flag per option of a fit; what is not given comes from the preset."""
    add = parser.add_argument
    add("-D", "--stereotypes", type=int, dest="n_stereotypes", metavar="D", help="how many stereotypes (default 3)")
    add("--preset", choices=list(PRESETS), default="recommended", help="default: %(default)s")
    add("--seed", type=int, default=0, help="of the random start (default %(default)s)")
    kinds: dict[type, dict[str, Any]] = {
        int: {"type": int, "metavar": "N"},
        float: {"type": float, "metavar": "X"},
        bool: {"action": argparse.BooleanOptionalAction},
    }
    for option in OPTIONS:
        if not option.phrase or option.name == "anchors":
            continue
        about = option.label + (" (accurate only)" if option.method == "distilled" else "")
        add(option.flag, dest=option.name, help=about, **kinds.get(option.kind, {"choices": tuple(option.choices)}))
    add("--anchors", type=int, nargs=2, metavar=("USERS", "ITEMS"), help="fit these many, fold the rest in")
    add("--threads", type=int, help="default: one per processor")
