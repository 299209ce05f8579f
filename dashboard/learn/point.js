// A point to drag in a line or a triangle, with its shares and what follows from them: p · E for each question.

const WIDTH = 300, MARGIN = { x: 58, top: 40, bottom: 42 };

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".point");
  root.mixture ??= data.mixture;
  root.replaceChildren();
  const n = data.corners.length, height = n === 2 ? 40 : 260;
  const size = [WIDTH + 2 * MARGIN.x, height + MARGIN.top + MARGIN.bottom];
  const screen = ([x, y]) => [MARGIN.x + x * WIDTH, MARGIN.top + y * height];

  const svg = drawn("svg", { viewBox: `0 0 ${size.join(" ")}` }, root);
  const corners = cornersOf(n).map(screen);
  drawn("polygon", { points: corners.map(place => place.join(",")).join(" "), class: "edge" }, svg);
  corners.forEach(([x, y], k) => {
    drawn("circle", { cx: x, cy: y, r: 8, fill: data.colors[k] }, svg);
    const isTop = n === 3 && k === 2;
    drawn("text", { x, y: y + (isTop ? -18 : 32), class: "corner" }, svg).textContent = data.corners[k];
  });
  const handle = drawn("circle", { r: 13, class: "handle", tabindex: 0, role: "slider", "aria-label": data.label,
                                   "aria-valuemin": 0, "aria-valuemax": 100 }, svg);
  const readouts = element("div", { class: "readouts" });
  root.append(readouts);

  const shareRow = (name, k) => {
    const bar = element("span", { class: "bar" });
    bar.style.cssText = `width:${100 * root.mixture[k]}%;background:${data.colors[k]}`;
    const percent = `${Math.round(100 * root.mixture[k])}%`;
    const track = element("span", { class: "track" }, bar);
    return element("div", { class: "share" }, element("span", {}, name), track, percent);
  };

  const questionRow = question => {
    const chance = dot(root.mixture, question.likes);
    const sum = root.mixture.map((share, k) => `${share.toFixed(2)} × ${question.likes[k].toFixed(2)}`).join(" + ");
    const row = element("div", { class: "question", "data-chance": chance },
                        element("b", {}, question.name),
                        element("span", { class: "sum" }, `${sum} = `, element("b", {}, +chance.toFixed(4))));
    if (data.scale) {
      const { zero, span, lowest, highest } = data.scale;
      const rating = Math.min(Math.max(zero + span * chance, lowest), highest);
      row.dataset.rating = rating;
      row.append(element("span", { class: "stars" }, `${rating.toFixed(1)} stars`));
    }
    return row;
  };

  const show = () => {
    const [x, y] = screen(placeOf(root.mixture));
    handle.setAttribute("cx", x);
    handle.setAttribute("cy", y);
    const shares = data.corners.map((name, k) => `${Math.round(100 * root.mixture[k])}% ${name}`);
    handle.setAttribute("aria-valuenow", Math.round(100 * root.mixture[0]));
    handle.setAttribute("aria-valuetext", shares.join(", "));
    root.dataset.mixture = root.mixture.join(" ");
    readouts.replaceChildren(...data.corners.map(shareRow), ...data.questions.map(questionRow));
  };

  const moveTo = mixture => { root.mixture = mixture; show(); };
  const follow = event => {
    const box = svg.getScreenCTM();
    const x = ((event.clientX - box.e) / box.a - MARGIN.x) / WIDTH;
    const y = ((event.clientY - box.f) / box.d - MARGIN.top) / height;
    moveTo(mixtureAt(n, x, y));
  };
  svg.onpointerdown = event => {
    svg.setPointerCapture(event.pointerId);
    svg.onpointermove = follow;
    handle.focus({ preventScroll: true });
    event.preventDefault();
    follow(event);
  };
  svg.onpointerup = svg.onpointercancel = () => { svg.onpointermove = null; };
  handle.onkeydown = event => {
    const mixture = mixtureAfter(event.key, root.mixture);
    if (!mixture) return;
    event.preventDefault();
    moveTo(mixture);
  };
  show();
}
