"""Models survive the disk, and nothing else is taken for a model."""

import io
import json
import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnm_core import ModelFileError, NnmError, Ratings, fit, load_model, preset, save_model
from nnm_core.storage import model_bytes, model_from_bytes


@pytest.fixture(scope="module")
def model(small):
    return fit(small, preset("recommended", mode="stars", committee=2, anchors=(50, 30)), seed=7)


def test_everything_comes_back(model, tmp_path):
    path = tmp_path / "a model.nnm"
    save_model(model, path)
    again = load_model(path)
    for field in fields(model):
        before, after = getattr(model, field.name), getattr(again, field.name)
        if isinstance(before, np.ndarray):
            assert before.tobytes() == after.tobytes()
        elif field.name == "traces":
            assert [t.objectives.tolist() for t in before] == [t.objectives.tolist() for t in after]
            assert [(t.stage, t.n_filled, t.residual) for t in before] == [
                (t.stage, t.n_filled, t.residual) for t in after
            ]
        else:
            assert before == after
    assert model_bytes(again) == path.read_bytes()  # the same model, the same bytes


def test_any_id_survives(tmp_path):
    names = ["é", "日本", "\x00", "a\nb", "🎬", '"', "\\", "x" * 5000]
    model = fit(Ratings.from_arrays(names, list(reversed(names)), np.arange(8)))
    assert model_from_bytes(model_bytes(model)).user_ids == model.user_ids


def test_files_of_version_1_still_load(model):
    content = model_bytes(model)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as new, zipfile.ZipFile(out, "w") as old:
        for name in new.namelist():
            if name != "header.npy":
                old.writestr(name, new.read(name))
        old.writestr("header.json", json.dumps(header_of(content) | {"version": 1}))
    assert model_bytes(model_from_bytes(out.getvalue())) == content


def test_a_file_is_replaced_whole_or_not_at_all(model, tmp_path, monkeypatch):
    path = tmp_path / "m.nnm"
    save_model(model, path)
    before = path.read_bytes()

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nnm_core.storage.os.fsync", full_disk)
    with pytest.raises(ModelFileError, match="cannot be written.*No space left"):
        save_model(replace(model, seed=8), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.nnm"]


def rewritten(content: bytes, change) -> bytes:
    """The same archive with some members changed; ``change(name, data)`` returns new data, or None to drop it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return out.getvalue()


def array_bytes(array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def header_bytes(text: bytes) -> bytes:
    return array_bytes(np.frombuffer(text, dtype=np.uint8))


def header_of(content: bytes) -> dict:
    with np.load(io.BytesIO(content)) as arrays:
        return json.loads(arrays["header"].tobytes())


def with_header(content: bytes, **changes) -> bytes:
    header = header_bytes(json.dumps(header_of(content) | changes).encode())
    return rewritten(content, lambda name, data: header if name == "header.npy" else data)


SPOILED = {
    "newer": (lambda c: with_header(c, version=99), "format version 99.*update nnm-explorer"),
    "foreign": (lambda c: with_header(c, format="other"), "not a model file"),
    "no zip": (lambda c: b"hello", "not a model file; models are written by 'nnm fit'"),
    "empty": (lambda c: b"", "not a model file"),
    "truncated": (lambda c: c[: len(c) // 2], "damaged or incomplete"),
    "missing part": (lambda c: rewritten(c, lambda n, d: None if n == "answers.npy" else d), "part of it is missing"),
    "no header": (lambda c: rewritten(c, lambda n, d: None if n == "header.npy" else d), "not a model file"),
    "header is a list": (
        lambda c: rewritten(c, lambda n, d: header_bytes(b"[]") if n == "header.npy" else d),
        "not a model file",
    ),
    "bad json": (lambda c: rewritten(c, lambda n, d: header_bytes(b"{") if n == "header.npy" else d), "damaged"),
    "header is no array": (lambda c: rewritten(c, lambda n, d: b"{}" if n == "header.npy" else d), "damaged"),
    "answers are no array": (lambda c: rewritten(c, lambda n, d: b"{}" if n == "answers.npy" else d), "damaged"),
    "pickle": (
        lambda c: rewritten(c, lambda n, d: array_bytes(np.array([{}])) if n == "mixtures.npy" else d),
        "damaged.*allow_pickle",
    ),
    "integers": (
        lambda c: rewritten(c, lambda n, d: array_bytes(np.ones((2, 2), int)) if n == "mixtures.npy" else d),
        "int64 where a model has numbers",
    ),
    "huge array": (
        lambda c: rewritten(c, lambda n, d: d.replace(b"(60, 8)", b"(9999999999, 8)") if n == "mixtures.npy" else d),
        "damaged",
    ),
    "wrong numbers": (
        lambda c: rewritten(c, lambda n, d: array_bytes(np.ones((60, 8))) if n == "mixtures.npy" else d),
        "not a valid model",
    ),
    "unknown option": (lambda c: with_header(c, options={"speed": 9}), "damaged"),
    "bad option": (lambda c: with_header(c, options={"n_stereotypes": 0}), "not a valid model.*n_stereotypes"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_spoiled_files_are_refused_in_words(model, tmp_path, case):
    spoil, message = SPOILED[case]
    path = tmp_path / "spoiled.nnm"
    path.write_bytes(spoil(model_bytes(model)))
    with pytest.raises(ModelFileError, match=message) as error:
        load_model(path)
    assert "spoiled.nnm" in str(error.value) or case == "integers"


def test_a_compressed_archive_is_refused_before_it_is_unpacked(model, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10_000_000)
    with pytest.raises(ModelFileError, match="compressed archive"):
        model_from_bytes(out.getvalue())


@given(data=st.data())
@settings(max_examples=150)
def test_mutated_files_give_an_error_of_ours_or_a_valid_model(model, data):
    content = bytearray(model_bytes(model))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    try:
        again = model_from_bytes(bytes(content))
    except NnmError:
        return
    np.testing.assert_allclose(again.mixtures.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize(
    ("path", "message"),
    [("nowhere/m.nnm", "cannot be written.*folder that exists"), (".", "cannot be written")],
)
def test_unwritable_places_are_named(model, tmp_path, path, message):
    with pytest.raises(ModelFileError, match=message):
        save_model(model, tmp_path / path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelFileError, match=r"nothing.nnm cannot be read: No such file"):
        load_model(tmp_path / "nothing.nnm")
