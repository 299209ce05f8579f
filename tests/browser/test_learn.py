"""The page Learn in a browser: scenes are operated by mouse, touch and keys, and show what the library computes."""

from itertools import cycle

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.learn import missing, mixture, number, question, recordings, slack
from dashboard.learn.game import game_of, invented_setting
from dashboard.learn.page import SCENES
from dashboard.learn.parts import NAMES
from nnm_core import preset
from nnm_core.datasets.synthetic import GENRES, demo
from nnm_core.fitting.recording import record_fit
from tests.browser.conftest import assert_well, new_context, open_page, settle

pytestmark = pytest.mark.browser

ANSWERS = {
    "scene=coin": "A third kind of coin",
    "scene=coin&mix=die": "5/8",
    "scene=coin&mix=people": "4 stars",
    "scene=ratings": "Both",
    "scene=ratings&dim=3": "Both",
    "scene=fit": "Elsewhere",
    "scene=game": "80%",
    "scene=game&alice=liked": "Yes",
    "scene=slack": "About a third",
    "scene=slack&slack=three": "No",
    "scene=number": "Both",
    "scene=missing": "Yes",
}
LOWEST = """() => Math.max(...[...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
  .filter(e => e.offsetHeight && !e.querySelector('[data-testid=stPageLink]'))
  .map(e => e.getBoundingClientRect().bottom))"""


def open_scene(page, link, width=1024, height=768):
    """Open a scene and answer its question."""
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, f"/learn?{link}")
    page.get_by_role("radio", name=ANSWERS[link.removesuffix("&present=1")], exact=True).click()
    page.get_by_text("Predict first.").wait_for(state="detached")
    settle(page)


HIGHEST = ["scene=fit", "scene=game", "scene=slack", "scene=missing"]


@pytest.mark.parametrize(("links", "present"), [(ANSWERS, ""), (HIGHEST, "&present=1")])
def test_every_scene_fits_a_projector_and_stands_on_a_phone_in_dark(page, links, present):
    for link in links:
        page.emulate_media(color_scheme="light")
        open_scene(page, link + present)
        assert page.locator("h1").inner_text() == SCENES[link.split("&")[0].removeprefix("scene=")].title
        assert page.evaluate(LOWEST) <= 768, link
        assert_well(page)
        expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
        if not present:
            page.emulate_media(color_scheme="dark")
            page.set_viewport_size({"width": 390, "height": 844})
            settle(page)
            assert_well(page)


def test_the_table_of_ratings_keeps_its_columns_on_a_narrow_phone(page):
    page.set_viewport_size({"width": 360, "height": 740})
    open_page(page, "/learn?scene=ratings")
    cells = [[page.locator(f".st-key-learn-{row}-{column}").bounding_box() for column in range(4)] for row in range(5)]
    for row in cells:
        assert len({cell["y"] for cell in row}) == 1
        assert [cell["x"] for cell in row] == pytest.approx([cell["x"] for cell in cells[0]])


def state_of_point(page):
    """Return the mixture, and of each film the probability and the rating, as the browser shows them."""
    point = page.locator(".point")
    films = point.locator(".question").evaluate_all("rows => rows.map(r => [+r.dataset.chance, +r.dataset.rating])")
    return np.array([float(share) for share in point.get_attribute("data-mixture").split()]), np.array(films)


def assert_library_agrees(page):
    mixture_shown, films = state_of_point(page)
    scale = demo().dataset.ratings.scale
    likes = np.array(list(mixture.questions_of_films().values()))
    assert mixture_shown.sum() == pytest.approx(1)
    np.testing.assert_allclose(films[:, 0], likes @ mixture_shown, atol=1e-12)
    np.testing.assert_allclose(films[:, 1], scale.clip(scale.from_unit(likes @ mixture_shown)), atol=1e-12)
    texts = page.locator(".point .stars").all_inner_texts()
    assert texts == [f"{np.floor(10 * rating + 0.5) / 10:.1f} stars" for rating in films[:, 1]]
    return mixture_shown


def test_a_point_is_dragged_by_mouse_and_by_keys(page):
    open_scene(page, "scene=coin&mix=people")
    box = page.locator(".point .edge").bounding_box()
    at = {
        "thrill seeker": (box["x"], box["y"] + box["height"]),
        "romantic": (box["x"] + box["width"], box["y"] + box["height"]),
        "parent": (box["x"] + box["width"] / 2, box["y"]),
    }
    handle = page.locator(".point .handle")
    for name in NAMES:
        here = handle.bounding_box()
        page.mouse.move(here["x"] + here["width"] / 2, here["y"] + here["height"] / 2)
        page.mouse.down()
        page.mouse.move(*at[name], steps=5)
        page.mouse.up()
        assert assert_library_agrees(page)[NAMES.index(name)] > 0.98
    page.mouse.click((at["thrill seeker"][0] + at["romantic"][0]) / 2, at["romantic"][1] - 1)
    assert assert_library_agrees(page) == pytest.approx([0.5, 0.5, 0], abs=0.02)
    handle.focus()
    page.keyboard.press("ArrowUp")
    assert assert_library_agrees(page)[2] == pytest.approx(0.05, abs=0.011)
    page.keyboard.press("ArrowRight")
    shown = assert_library_agrees(page)
    assert shown[1] > shown[0] + 0.08
    assert f"{100 * shown[1]:.0f}% romantic" in handle.get_attribute("aria-valuetext")
    assert page.url.count("scene=") <= 1
    assert page.locator("h1").inner_text() == "From a coin to a mixture"


@pytest.fixture(scope="module")
def phone(browser, warm_server):
    """A page that is touched."""
    context = new_context(browser, warm_server, viewport={"width": 390, "height": 844}, has_touch=True)
    yield context.new_page()
    context.close()


def test_scenes_are_operated_by_touch(phone):
    page = phone
    open_scene(page, "scene=coin&mix=people", 390, 844)
    edge = page.locator(".point .edge")
    edge.scroll_into_view_if_needed()
    box = edge.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    assert assert_library_agrees(page)[NAMES.index("romantic")] > 0.97
    left, right, top, bottom = box["x"], box["x"] + box["width"], box["y"], box["y"] + box["height"]
    swipe(page, (right - 2, bottom - 2), ((left + right) / 2, top))
    assert assert_library_agrees(page)[NAMES.index("parent")] > 0.97

    open_page(page, "/learn?scene=fit")
    scrub = page.get_by_role("slider", name="Half-step")
    scrub.scroll_into_view_if_needed()
    box = scrub.bounding_box()
    middle = box["y"] + box["height"] / 2
    swipe(page, (box["x"] + 8, middle), (box["x"] + box["width"] / 2, middle + 60))
    assert int(page.locator(".player").get_attribute("data-step")) == pytest.approx(16, abs=2)
    page.get_by_role("button", name="Back to the start").tap()
    page.get_by_role("button", name="Play", exact=True).tap()
    page.wait_for_timeout(2000)
    page.get_by_role("button", name="Pause", exact=True).tap()
    assert int(page.locator(".player").get_attribute("data-step")) >= 2

    open_scene(page, "scene=slack", 390, 844)
    slider = page.locator(".slack input")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    epsilon = page.locator(".slack")
    assert float(epsilon.get_attribute("data-epsilon")) == pytest.approx(0.7, abs=0.04)
    middle = box["y"] + box["height"] / 2
    swipe(page, (box["x"] + 0.7 * box["width"], middle), (box["x"] + 0.3 * box["width"], middle - 60))
    assert float(epsilon.get_attribute("data-epsilon")) == pytest.approx(0.3, abs=0.04)
    bar = page.locator(".slack .whole").bounding_box()
    middle = bar["y"] + bar["height"] / 2
    swipe(page, (bar["x"] + 0.3 * bar["width"], middle), (bar["x"] + 0.6 * bar["width"], middle + 60))
    assert float(epsilon.get_attribute("data-epsilon")) == pytest.approx(0.6, abs=0.02)

    open_scene(page, "scene=slack&slack=three", 390, 844)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    swipe(page, (box["x"] + 0.5 * box["width"], middle), (box["x"] + 4, middle - 60))
    expect(page.locator(".slack g.held")).to_have_count(0)
    page.touchscreen.tap(box["x"] + box["width"] - 4, middle)
    expect(page.locator(".slack g.held")).to_have_count(6)


def press(place, by):
    """Click, tap, or press the key that chooses what has the focus."""
    place.scroll_into_view_if_needed()
    if by == "mouse":
        place.click()
    elif by == "touch":
        place.page.wait_for_timeout(200)  # a finger that comes before scrolling has ended taps another place
        place.tap()
    else:
        place.focus()
        place.press("Enter")


def test_scenes_of_buttons_are_operated_by_mouse_touch_and_keys(phone):
    page, ways = phone, {role: cycle(("mouse", "touch", "keys")) for role in ("radio", "button")}
    open_page(page, "/learn?scene=coin&mix=die")

    def use(role, name, then):
        press(page.get_by_role(role, name=name, exact=True), next(ways[role]))
        page.get_by_text(then).first.wait_for()
        settle(page)

    use("radio", "5/8", "p · E = 0.25 × 1 + 0.25 × 0 + 0.125 × 0 + 0.375 × 1 = 0.625")
    use("button", "2", "p · E = 0.25 × 1 + 0.25 × 1 + 0.125 × 0 + 0.375 × 1 = 0.875")

    use("radio", "2 Ratings", "A rating answers the question")
    use("radio", "Both", "Ann's rating of Chase")
    press(page.locator(".st-key-learn-2-3").get_by_role("button"), next(ways["button"]))
    page.get_by_text("Cleo's rating of Puppies").wait_for()
    table = question.TABLE.copy()
    table[2, 3] = 1
    solved = question.solve_cell(table, 2, 3, 2)
    use("radio", "1", f"≈ {solved.mixture[1] @ solved.likes[1]:.2f}, or")
    expect(page.get_by_text("Cleo gave 1.")).to_be_visible()

    use("radio", "4 The game", "Round 1:")
    game = game_of(invented_setting("Horror", NAMES.index("romantic"), "any"))
    for turn in range(1, 4):
        wins, losses = int(game.wins[:turn].sum()), int((~game.likes[:turn]).sum())
        use("button", "dislike it", f"Score: you {losses}, the rule {wins} of {turn}.")
    use("radio", "80%", f"Won by the rule in 10,000 rounds: {game.win_rate:.1%}")

    use("radio", "6 How many?", "Hide a fifth of the ratings")
    seen, hidden = number.errors()
    use("radio", "On hidden ratings", f"With 1 the error is {seen[0]:.3f} stars")
    for n in (2, 3):
        errors = f"{seen[n - 1]:.3f} stars on seen ratings and {hidden[n - 1]:.3f}"
        use("button", "Add a stereotype", f"With {n} the error is {errors}")

    use("radio", "7 Missing", "Most people have not rated most films")
    place = GENRES.index("Romance"), NAMES.index("thrill seeker")
    for option, throughout in (("No", False), ("Zeros in all iterations", True)):
        found = missing.comparison("liked", throughout)
        use("radio", option, f"fit {found.with_zeros[place]:.2f} with zeros, {found.without[place]:.2f} without")


def swipe(page, start, end):
    """Drag a finger from place to place, which must not scroll the page."""
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, touch = page.evaluate(scrolled), page.context.new_cdp_session(page)

    def send(kind, points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for step in range(9):
        x, y = (a + step / 8 * (b - a) for a, b in zip(start, end, strict=True))
        send("touchMove" if step else "touchStart", [{"x": x, "y": y}])
        page.wait_for_timeout(16)
    send("touchEnd", [])
    assert page.evaluate(scrolled) == before


def shown_by_player(page, part):
    flat = page.locator(".player").evaluate(f"player => player.shown.{part} && [...player.shown.{part}]")
    return None if flat is None else np.array(flat).reshape(-1, 3)


def test_a_fit_is_stepped_scrubbed_and_shows_the_recorded_places(page):
    open_scene(page, "scene=fit")
    source = recordings.invented_cinema()
    recorded = recordings.record(source, False, 0)
    assert sorted(recorded.mixtures[-1].sum(axis=0)) == pytest.approx(
        sorted(record_fit(demo().dataset.ratings, preset("paper")).mixtures[-1].sum(axis=0))
    )
    films = recordings.shown_films(source.ratings)
    player, slider = page.locator(".player"), page.get_by_role("slider", name="Half-step")
    forward = page.get_by_role("button", name="One half-step forward")
    assert shown_by_player(page, "likes") is None
    np.testing.assert_allclose(shown_by_player(page, "mixtures"), recorded.mixtures[0], atol=1e-4)
    for step in range(1, 7):
        forward.click()
        assert player.get_attribute("data-step") == str(step)
        np.testing.assert_allclose(shown_by_player(page, "mixtures"), recorded.mixtures[step // 2], atol=1e-4)
        np.testing.assert_allclose(shown_by_player(page, "likes"), recorded.likes[(step - 1) // 2][films], atol=1e-4)
        assert page.get_by_text("missing ratings count as zeros").is_visible() == (step <= 2 * recorded.n_filled)
        if step >= 2:
            error = recorded.training_errors[step // 2 - 1]
            assert float(player.get_attribute("data-error")) == pytest.approx(error)
            expect(page.get_by_text(f"· error {error:.3f} stars")).to_be_visible()
    slider.focus()
    page.keyboard.press("End")
    assert player.get_attribute("data-step") == str(2 * recorded.n_sweeps)
    np.testing.assert_allclose(shown_by_player(page, "mixtures"), recorded.mixtures[-1], atol=1e-4)
    page.keyboard.press("ArrowLeft")
    assert player.get_attribute("data-step") == str(2 * recorded.n_sweeps - 1)
    page.get_by_role("button", name="Back to the start").click()
    assert player.get_attribute("data-step") == "0"


def test_beside_the_truth_the_player_shows_the_end_and_otherwise_keeps_its_place(page):
    open_scene(page, "scene=fit")
    player, last = page.locator(".player"), 2 * recordings.record(recordings.invented_cinema(), False, 0).n_sweeps
    page.get_by_role("button", name="One half-step forward").click()
    for choice, step in (("The truth", last), ("A second start", last - 1)):
        page.get_by_role("radio", name=choice).click()
        settle(page)
        page.locator(".player figcaption").filter(has_text=choice).wait_for()
        assert player.get_attribute("data-step") == str(step)
        page.get_by_role("button", name="One half-step back").click()


def test_2000_people_move_at_20_frames_a_second(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    open_page(page, "/learn?scene=fit&play=crowd")
    page.get_by_role("radio", name="Elsewhere").click()
    page.get_by_text("A second start").first.wait_for()
    settle(page)
    assert len(shown_by_player(page, "mixtures")) == 2000
    player, speeds = page.locator(".player"), []
    while len(speeds) < 4 and max(speeds, default=0.0) < 20:  # other tests may take the processor for a while
        page.get_by_role("button", name="Back to the start").click()
        page.get_by_role("button", name="Play").click()
        page.wait_for_timeout(5000)
        page.get_by_role("button", name="Pause").click()
        assert int(player.get_attribute("data-step")) >= 6
        speeds.append(float(player.get_attribute("data-frames-per-second")))
    assert max(speeds) >= 20, speeds


def test_an_inclusion_holds_from_its_birth_on(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    open_page(page, "/learn?scene=slack")
    expect(page.locator(".slack .outside")).to_have_count(6)  # what is asked about is shown first, and not the answer
    expect(page.locator(".slack input")).to_have_count(0)
    page.get_by_role("radio", name="About a third").click()
    witness = slack.hierarchy().witness("Horror", "Thriller")
    birth = witness.birth
    whole = page.locator(".slack .whole")
    whole.wait_for()
    parts = whole.evaluate("""whole => [...whole.parentNode.querySelectorAll("rect")]
      .filter(part => part.getAttribute("y") === whole.getAttribute("y") && part !== whole)
      .map(part => [part.classList.contains("outside"), part.getAttribute("width") / whole.getAttribute("width")])""")
    assert [is_pale for is_pale, _ in parts] == [True] * 3 + [False] * 3  # pale is empty, as in the bars above
    np.testing.assert_allclose([share for _, share in parts], [*witness.losses, *witness.carried])
    box = whole.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.1 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], middle, steps=5)
    page.mouse.up()
    assert float(page.locator(".slack").get_attribute("data-epsilon")) == pytest.approx(0.5, abs=0.02)
    slider = page.locator(".slack input")
    slider.fill(f"{np.floor(100 * birth) / 100:.2f}")
    page.get_by_text("does not hold at").wait_for()
    slider.press("ArrowRight")
    page.get_by_text(f"Horror ⊆ Thriller holds at ε = {np.ceil(100 * birth) / 100:.2f}").wait_for()
    open_scene(page, "scene=slack&slack=three")
    ordered = slack.hierarchy()
    births = ordered.births[np.ix_(ordered.rows(slack.CHAIN), ordered.rows(slack.CHAIN))]
    for epsilon in (0.2, 0.35, slack.CHAIN_EPSILON, 0.6):
        slider.fill(f"{epsilon:.2f}")
        off = ~np.eye(3, dtype=bool)
        expect(page.locator(".slack g.held")).to_have_count(int((births[off] <= epsilon).sum()))
        is_broken = "not transitive" in page.locator(".slack .status").inner_text()
        assert is_broken == (epsilon == slack.CHAIN_EPSILON)
    slider.press("Home")
    expect(page.locator(".slack g.held")).to_have_count(0)
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    expect(page.locator(".slack g.held")).to_have_count(6)
