"""Texts from outside and numbers, as people read them."""

from dashboard.wording import counted, duration, label, md, message, number


def test_texts_from_outside_stay_texts():
    assert md("**a** [b](c) <d>") == r"\*\*a\*\* \[b\]\(c\) \<d\>"
    assert md(":red[x] :smile:") == ":\u2060red\\[x\\] :\u2060smile:"
    assert label("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    assert len(label("y" * 300)) == 26
    assert message("one\n\ntwo") == "one\n\ntwo"


def test_numbers_for_people():
    assert (number(3), number(40)) == ("three", "40")
    assert (counted(1, "person", "people"), counted(1200, "rating")) == ("1 person", "1,200 ratings")
    assert (duration(0.2), duration(12.3), duration(600)) == (
        "less than a second",
        "about 12 s",
        "about 10 min",
    )


def test_pictures_show_quotation_marks_and_no_markup():
    assert label('"Quoted" <b>film</b>') == '"Quoted" &lt;b&gt;film&lt;/b&gt;'
