// The tour: a bar above the page, so that it covers nothing. Local storage remembers that this browser has seen it.

const SEEN = "nnm-tour";

export default function ({ data, parentElement }) {
  const bar = parentElement.querySelector(".tour"), box = document.querySelector(".st-key-live-tour");
  const isAsked = data.asked && data.asked !== window.nnmTour?.asked;
  // In the window, since another page begins with an empty bar.
  if (!window.nnmTour || isAsked) {
    const isOpen = isAsked || !localStorage.getItem(SEEN);
    window.nnmTour = { asked: data.asked, step: 0, isOpen, marked: null };
  }
  const tour = window.nnmTour;
  const [title, text, place] = ["h2", "p", "span"].map(tag => bar.querySelector(tag));
  const [skip, next] = bar.querySelectorAll("button");

  const show = () => {
    const { title: name, text: said, target } = data.steps[tour.step];
    title.textContent = name;
    text.textContent = said;
    place.textContent = `${tour.step + 1} of ${data.steps.length}`;
    next.textContent = tour.step + 1 < data.steps.length ? "Next" : "Done";
    bar.hidden = !tour.isOpen;
    box.style.display = tour.isOpen ? "block" : "";
    if (tour.marked) tour.marked.style.outline = "";
    tour.marked = tour.isOpen ? document.querySelector(target) : null;
    if (tour.marked) tour.marked.style.outline = `3px solid ${data.accent}`;
  };
  const end = () => {
    localStorage.setItem(SEEN, "done");
    tour.isOpen = false;
    show();
  };
  skip.onclick = end;
  next.onclick = () => {
    if (tour.step + 1 === data.steps.length) return end();
    tour.step++;
    show();
  };
  show();
  if (isAsked) box.scrollIntoView({ block: "nearest" });
  const onKey = event => { if (event.key === "Escape" && tour.isOpen) end(); };
  addEventListener("keydown", onKey);
  bar.stop?.();
  bar.stop = () => removeEventListener("keydown", onKey);
  return bar.stop;
}
