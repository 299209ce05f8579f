"""Names in lines, as pictures show them."""

import pytest

from dashboard.figures.drawing import in_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("administrator", ["administrator"]),
        ("entertainment", ["entertainment"]),
        ("Film-Noir", ["Film-Noir"]),
        ("Film-Noir and Musical fan", ["Film-Noir", "and Musical", "fan"]),
        ("executive/managerial", ["executive/", "managerial"]),
        ("doctor/health care", ["doctor/health", "care"]),
        ("Sci-Fi and post-apocalyptic", ["Sci-Fi and", "post-", "apocalyptic"]),
        ("Donaudampfschifffahrt", ["Donaudampfs…"]),
        ("/ - /", ["/ - /"]),
        ("", []),
    ],
)
def test_no_word_is_broken_inside(text, lines):
    assert in_lines(text, 12) == lines
    whole = text.replace("/", " ").replace("-", " ").split()
    shown = " ".join(lines).replace("/", " ").replace("-", " ").split()
    assert all(word in whole or word.endswith("…") for word in shown)
