"""Pieces of sentences."""

from nnm_core.phrases import listed, percent, rating_in_words, shortened, split_year, tag_in_words, title_in_words
from nnm_core.scale import Scale


def test_a_year_is_at_the_end_of_a_title_in_brackets():
    assert split_year("Heat (1995)") == ("Heat", 1995)
    assert split_year("2001: A Space Odyssey (1968) ") == ("2001: A Space Odyssey", 1968)
    for title in ("Heat", "Heat 1995", "Heat (95)", "Heat (1995) again", ""):
        assert split_year(title) == (title, None)


def test_pieces_of_text():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert [percent(s) for s in (0, 0.001, 0.005, 0.41, 0.9949, 0.999, 1)] == [
        "0%", "less than 1%", "less than 1%", "41%", "99%", "more than 99%", "100%",
    ]  # fmt: skip
    assert tag_in_words("Film-Noir") == "Film-Noir"
    assert tag_in_words("War, and peace") == "“War, and peace”"
    assert tag_in_words("<b>bold</b>") == "“<b>bold</b>”"
    assert tag_in_words("black and white") == "“black and white”"
    assert title_in_words("Clockwork Orange, A (1971)") == "A Clockwork Orange (1971)"
    assert title_in_words("Matrix, The (1999)") == "The Matrix (1999)"
    assert title_in_words("Shanghai Triad (Yao a yao, The) (1995)") == "Shanghai Triad (Yao a yao, The) (1995)"
    assert title_in_words("Good, the Bad and the Ugly, The") == "The Good, the Bad and the Ugly"
    assert shortened("a\n\x00b  c") == "a b c"
    assert len(shortened("x" * 200)) == 60
    assert rating_in_words(3.449, Scale(1, 5)) == "3.4"
    assert rating_in_words(0.449, Scale(0, 1)) == "0.45"
    assert rating_in_words(-0.2, Scale(-10, 10)) == "0"
    assert rating_in_words(0.2, Scale(1, 5)) == "1.0"
