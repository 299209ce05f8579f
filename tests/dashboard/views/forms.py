"""The upload form as tests use it: a file is chosen, a button pressed, and what was loaded looked up."""

from dashboard.compute import store

RATINGS = "who;what;stars\n" + "".join(
    f"u{user};i{item};{1 + (user * item) % 5}\n" for user in range(30) for item in range(20) if (user + item) % 3
)
ITEMS = "what;name;tags\n" + "".join(f"i{k};Item {k};{'red|blue' if k % 2 else 'red|green'}\n" for k in range(20))


def upload(app, label, name, content):
    box = next(box for box in app.file_uploader if box.label.startswith(label))
    held = content if isinstance(content, bytes) else content.encode()
    box.set_value((name, held, "text/csv")).run()
    assert not app.exception


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def loaded(name):
    """What was loaded last under this name."""
    key = [key for key, given in store.own_names("tester").items() if given == name][-1]
    return store.own_dataset(key, "tester")
