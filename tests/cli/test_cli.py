"""The command line, as a person uses it; in a process of its own where that is what is tested."""

import errno
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nnm_core import InputError, load_model
from nnm_core.cli import main
from nnm_core.cli.output import Bar

ROOT = Path(__file__).resolve().parents[2]


def nnm(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "nnm_core.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_fit_then_info(tmp_path):
    out = tmp_path / "my.nnm"
    done = nnm("fit", "-D", 4, "--preset", "paper", "--seed", 3, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "100,004 ratings" in done.stdout
    assert f"Stored in {out}" in done.stdout
    model = load_model(out)
    assert (model.n_stereotypes, model.seed, model.options.generosity) == (4, 3, False)
    info = nnm("info", out)
    assert info.returncode == 0
    for part in (
        "people     671",
        "items      9,066",
        "0.5 to 5, steps of 0.5",
        "as in the paper",
        model.data_hash[:16],
    ):
        if part == "as in the paper":
            assert "n_stereotypes=4" in info.stdout
        else:
            assert part in info.stdout


def test_every_option_reaches_the_fit(tmp_path):
    out = tmp_path / "m.nnm"
    flags = "--preset paper -D 2 --sweeps 5 --tol 0.001 --fill sampled --fill-sweeps 1 --generosity --shrinkage 0.5"
    flags += " --committee 2 --mode stars --star-sweeps 2 --anchors 200 300 --threads 1"
    assert main(["fit", "bundled", *flags.split(), "-o", str(out)]) == 0
    options = load_model(out).options
    assert (options.n_stereotypes, options.n_sweeps, options.tol, options.fill) == (2, 5, 0.001, "sampled")
    assert (options.fill_sweeps, options.generosity, options.shrinkage) == (1, True, 0.5)
    assert (options.committee, options.mode, options.star_sweeps, options.anchors) == (2, "stars", 2, (200, 300))


def test_the_preset_can_be_contradicted(tmp_path):
    out = tmp_path / "m.nnm"
    assert main(["fit", "--preset", "recommended", "--no-generosity", "-o", str(out)]) == 0
    assert load_model(out).options.generosity is False


def test_inspect_describes_the_data(capsys):
    assert main(["inspect", "bundled"]) == 0
    shown = capsys.readouterr().out
    assert "100,004" in shown
    assert "671" in shown


def test_evaluate_prints_a_table_or_json(capsys):
    assert main(["evaluate", "demo", "-D", "3", "--folds", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {
        *("mae", "rmse", "mae_rounded", "rmse_rounded"),
        *("folds", "seconds_fit", "n_ratings", "options"),
    }
    assert len(found["folds"]) == 3
    assert found["mae"] == pytest.approx(np.mean([fold["mae"] for fold in found["folds"]]))
    assert found["options"]["n_stereotypes"] == 3
    assert main(["evaluate", "demo", "-D", "3", "--folds", "3"]) == 0
    table = capsys.readouterr().out
    assert f"{found['mae']:.4f}" in table
    assert "rounded RMSE" in table
    split = ["evaluate", "demo", "--preset", "accurate", "--folds", "90/10", "--json"]
    assert main([*split, "--sweeps", "6", "--burn-in", "2", "--factors", "3", "--chains", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["folds"]) == 1
    assert (found["options"]["n_factors"], found["options"]["n_chains"]) == (3, 2)


def test_a_fit_names_nothing_in_ratings_without_taste(tmp_path, capsys):
    rng = np.random.default_rng(3)
    rows = [f"p{cell // 60},i{cell % 60},{rng.integers(1, 6)}" for cell in rng.choice(100 * 60, 2000, replace=False)]
    path = tmp_path / "chance.csv"
    path.write_text("\n".join(["who,what,stars", *rows]))
    assert main(["fit", str(path), "-D", "2"]) == 0
    shown = capsys.readouterr().out
    assert "No taste found beyond chance" in shown
    assert "Stereotype 2, " in shown
    assert "Fan of" not in shown


def test_a_fit_says_what_the_stereotypes_are_and_warns_of_odd_ratings(tmp_path, capsys):
    assert main(["fit", "demo", "-D", "3"]) == 0
    shown = capsys.readouterr().out
    assert "of the audience." in shown
    assert "No taste found" not in shown
    path = tmp_path / "r.csv"
    path.write_text("who,what,stars\na,x,5\na,y,-1\nb,x,3\nb,y,4\nc,x,1\n")
    assert main(["fit", str(path), "-D", "1"]) == 0
    assert "--missing -1 leaves it out" in capsys.readouterr().err
    assert main(["inspect", str(path), "--columns", "what", "who", "stars", "--scale", "-1", "9", "1"]) == 0
    shown = capsys.readouterr().out
    assert "5 ratings by 2 users of 3 items" in shown
    assert "−1 to 9" in shown


def test_data_without_ratings_are_filled_throughout_and_have_no_error_in_stars(tmp_path, capsys):
    path, out = tmp_path / "clicks.csv", tmp_path / "m.nnm"
    rows = [f"u{user},i{item}" for user in range(20) for item in range(10) if (user % 3 == 0) == (item < 4)]
    path.write_text("user,item\n" + "\n".join(rows))
    assert main(["fit", str(path), "-D", "2", "-o", str(out)]) == 0
    assert "not seen counts as zero" in capsys.readouterr().err
    model = load_model(out)
    assert model.converged
    assert np.ptp(model.mixtures @ model.likes.T) > 0.8  # seen and unseen are told apart
    assert main(["evaluate", str(path)]) == 2
    assert "says only who saw what" in capsys.readouterr().err


def test_inspect_says_what_was_taken_for_what_and_how_to_repeat_it(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    rows = [f"{'FM'[p % 2]},{20 + p},{1 + p % 5},{1 + p // 2 % 5},{1 + p // 3 % 5},{90 + p}" for p in range(30)]
    path.write_text("gender,age,Q1,Q2,Q3,total\n" + "\n".join(rows))
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "90 ratings by 30 users of 3 items" in shown
    assert "not taken as items: 'total'" in shown
    command = shown.rpartition("nnm fit ")[2].split()
    assert command == [str(path), "--wide", "--traits", "gender", "age", "--drop", "total"]
    assert main(["inspect", *command]) == 0
    assert "90 ratings by 30 users of 3 items" in capsys.readouterr().out
    assert main(["inspect", *command, "--transpose"]) == 0
    assert "90 ratings by 3 users of 30 items" in capsys.readouterr().out


def test_nobody_is_taken_for_the_people_in_silence(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("shop,product,score\n" + "".join(f"s{k % 7},p{k % 9},{1 + k % 5}\n" for k in range(63)))
    assert main(["fit", str(path), "-D", "1"]) == 0
    assert "Taken for the person: 'shop' (likely: its values look like it)" in capsys.readouterr().err
    path.write_text("product,score\n" + "".join(f"p{k},{1 + k % 5}\n" for k in range(40)))
    assert main(["inspect", str(path)]) == 2
    assert "--one-person" in capsys.readouterr().err
    assert main(["inspect", str(path), "--one-person"]) == 0
    shown = capsys.readouterr().out
    assert "40 ratings by 1 user of 40 items" in shown
    assert "There is only 1 person" in shown


def test_missing_ratings_can_be_left_out(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("user,item,rating\na,x,5\na,y,-1\nb,x,3\nb,y,4\nc,x,1\n")
    assert main(["inspect", str(path)]) == 0
    assert "import with --missing -1" in capsys.readouterr().out
    assert main(["inspect", str(path), "--missing", "-1"]) == 0
    assert "5 read, 4 kept, 1 dropped" in capsys.readouterr().out


@pytest.mark.movielens
def test_report_writes_a_page_with_the_accuracy_that_evaluate_prints(tmp_path, capsys):
    options = ["demo", "-D", "2", "--seed", "4", "--sweeps", "30"]
    assert main(["report", *options, "-o", str(tmp_path / "r.html")]) == 0
    assert main(["evaluate", *options, "--json"]) == 0
    page, said = (tmp_path / "r.html").read_text(encoding="utf-8"), capsys.readouterr().out.splitlines()
    assert said[0] == f"Written to {tmp_path / 'r.html'}."
    assert f"a mean absolute error of {json.loads(said[1])['mae']:.3f} stars" in page
    for title in ("The people", "Accuracy", "Has it converged?", "How it was made"):
        assert f"<h2>{title}</h2>" in page
    assert "nnm report demo -D 2 --preset recommended --seed 4 --sweeps 30 --starts 8 -o report.html" in page


def test_a_report_is_of_the_fit_that_the_dashboard_ends_with_unless_starts_are_asked_for(tmp_path):
    page, asked = tmp_path / "r.html", ["demo", "-D", "2", "--sweeps", "5"]
    again = "nnm report demo -D 2 --preset recommended --seed 0 --sweeps 5"
    for starts, flags in ([], "--starts 8 -o report.html"), (["--starts", "1"], "-o report.html --starts 1"):
        assert main(["report", *asked, *starts, "-o", str(page)]) == 0
        assert f"{again} {flags}<" in page.read_text(encoding="utf-8")


def test_report_has_the_names_that_were_given(tmp_path, capsys):
    page = tmp_path / "r.html"
    assert main(["report", "demo", "-D", "2", "--sweeps", "5", "--names", "Ann & Ben", "", "-o", str(page)]) == 0
    assert "<h2>Ann &amp; Ben" in page.read_text()
    assert main(["report", "demo", "-D", "2", "--names", "a", "b", "c", "-o", str(page)]) == 2
    assert "--names has 3 names for 2 stereotypes" in capsys.readouterr().err


def test_a_full_disk_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, capsys):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", "r.html")

    monkeypatch.setattr(Path, "write_text", fail)
    assert main(["report", "demo", "-D", "2", "--sweeps", "5", "-o", str(tmp_path / "r.html")]) == 2
    assert "No space left on device: 'r.html'" in capsys.readouterr().err


def test_reproduce_writes_the_report_with_pictures(ml_100k_folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    data = tmp_path / "data"
    data.mkdir()
    (data / "ml-100k").symlink_to(ml_100k_folder)
    out = tmp_path / "report.md"
    assert main(["reproduce", "--data", str(data), "-o", str(out), "--folds", "1", "--peers"]) == 0
    text = out.read_text()
    assert "| NNM | 0.699 | 0.984 | 0.7" in text
    assert "| NNM, converged | | | 0.7" in text
    for picture in ("ml-100k-curve.png", "ml-100k-sweeps.png"):
        assert picture in text
        assert (tmp_path / "images" / picture).stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "--folds", "many"], "takes a whole number, a split such as 80/20, or u1-u5, not 'many'"),
        (["evaluate", "--folds", "80/30"], "takes a whole number, a split such as 80/20, or u1-u5, not '80/30'"),
        (["evaluate", "--folds", "u1-u5"], "needs the folder of MovieLens 100K"),
        (["report", "nowhere.csv"], "There is no file or folder 'nowhere.csv'"),
        (["report", "demo", "-o", "."], "is a folder; give the name of a file in it, such as report.html"),
        (["reproduce", "--data", "nowhere"], "Neither ml-100k nor ml-1m is in nowhere"),
        (["fit", "ml-32m"], "its licence was not accepted"),
        (["inspect", "--bins", "1"], "n_bins must lie between 2 and 100"),
        (["fit", "-D", "0"], "n_stereotypes must be a whole number from 1 to 256, not 0"),
        (["fit", "no/such/folder"], "no/such/folder"),
        (["fit", "-o", "no/such/folder/m.nnm"], "folder no/such/folder does not exist"),
        (["fit", "-o", "."], "is a folder; give the name of a file in it"),
        (["fit", "--seed", "-1"], "seed must be a whole number of at least 0"),
        (["fit", "--threads", "0"], "threads must be at least 1"),
        (["fit", "--preset", "best"], "invalid choice: 'best'"),
        (["info", "missing.nnm"], "missing.nnm cannot be read"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, message, capsys):
    try:
        code = main(arguments)
    except SystemExit as left:  # argparse does not return
        code = left.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in err


def test_a_process_ends_with_that_sentence_and_code():
    done = nnm("info", "README.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nnm: README.md is not a model file")
    assert len(done.stderr.splitlines()) == 1


def test_a_broken_movielens_folder_is_named(tmp_path, capsys):
    (tmp_path / "ratings.csv").write_text(
        "userId,movieId,rating,timestamp\n1,1,4.0,0\n1,2,good,0\n2,1,3.0,0\n2,2,2.0,0\n"
    )
    (tmp_path / "movies.csv").write_text("movieId,title,genres\n1,A (1999),Drama\n2,B (2000),Comedy\n")
    code = main(["fit", str(tmp_path), "-o", str(tmp_path / "m.nnm")])
    err = capsys.readouterr().err
    assert "line 3" in err or "good" in err
    if code == 2:
        assert not (tmp_path / "m.nnm").exists()


def test_the_progress_bar_is_cleared_before_an_error_is_shown(monkeypatch, capsys):
    def fail_half_way():
        with Bar() as bar:
            bar.report(0.5, "half of it")
            raise InputError("It went wrong.")

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with pytest.raises(InputError):
        fail_half_way()
    shown = capsys.readouterr().err
    assert "half of it" in shown
    assert shown.endswith("\r\033[K")


def test_a_terminal_gets_a_progress_bar(tmp_path):
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "nnm_core.cli", "fit", "-o", str(tmp_path / "m.nnm")],
        stdout=subprocess.PIPE,
        stderr=follower,
        cwd=ROOT,
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
        process.wait(60)
    os.close(leader)
    text = shown.decode()
    assert "iteration 1," in text
    assert re.search(r"\d s left", text)
    assert "training error" in text
    assert process.returncode == 0
    assert np.isfinite(load_model(tmp_path / "m.nnm").mixtures).all()


def test_one_person_and_one_item_teach_nothing_and_are_counted_in_the_singular(tmp_path, capsys):
    (tmp_path / "one.csv").write_text("user,item,rating\nme,this,4\n")
    scale = ["--scale", "1", "5", "1"]
    assert main(["fit", str(tmp_path / "one.csv"), *scale]) == 0
    out, err = capsys.readouterr()
    assert "Nothing can be learned from these data. There is only 1 person." in err
    assert "There is only 1 person: more stereotypes" in err
    assert "1 rating," in out
    assert main(["inspect", str(tmp_path / "one.csv"), *scale]) == 0
    text = capsys.readouterr().out
    assert "1 rating by 1 user of 1 item" in text
    assert "1 rows" not in text


@pytest.mark.parametrize(("flag", "whom"), [("--items", "items"), ("--users", "people")])
def test_a_file_beside_the_ratings_that_cannot_be_read_is_refused(flag, whom, tmp_path, capsys):
    ratings, poster = tmp_path / "mine.csv", tmp_path / "poster.csv"
    ratings.write_text("user,item,rating\na,x,5\nb,x,3\nb,y,1\n")
    poster.write_bytes(b"\x89PNG\r\n\x1a\n")
    for more in ([], ["--columns", "user", "item", "rating"]):
        assert main(["fit", str(ratings), flag, str(poster), *more]) != 0
        err = capsys.readouterr().err
        assert "poster.csv is a picture" in err
        assert f"the file about the {whom}; choose another one, or remove it" in err


@pytest.mark.parametrize(
    ("arguments", "port"),
    [
        ([], None),
        (["dashboard"], None),
        (["--port", "8513"], 8513),
        (["dashboard", "--port", "8513"], 8513),
        (["--port", "8513", "dashboard"], 8513),
    ],
)
def test_the_dashboard_is_started_with_its_flags_with_and_without_the_command(arguments, port, monkeypatch):
    started = []

    def run(parsed):
        started.append(parsed.port)
        return 0

    monkeypatch.setattr("dashboard.server.run", run)
    assert main(arguments) == 0
    assert started == [port]


def test_other_commands_do_not_take_the_flags_of_the_dashboard(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--port", "8513", "info", "m.nnm"])
    assert "--port is an option of the dashboard" in capsys.readouterr().err
