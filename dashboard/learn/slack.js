// ε as slack: one tag filled with another, or three tags in a circle, and a slider for ε.
//
// The library computed from which ε on each inclusion holds; here these numbers are only compared with ε.

const ROUNDING = 1e-12;  // as in the library: an inclusion that holds exactly is not lost to rounding

// Bars of the narrow tag, each with what would fill it; once that is done, their parts, laid end to end.
const twoTags = (data, picture, moveTo) => {
  const svg = drawn("svg", { viewBox: "0 0 620 310", role: "img", "aria-label": data.alt }, picture);
  const base = 190, high = 150, { narrow, broad } = data;
  data.stereotypes.forEach((name, k) => {
    const x = 40 + 200 * k, whole = high * narrow.likes[k], kept = whole * broad.likes[k];
    const [like, share] = [narrow.likes[k].toFixed(2), broad.likes[k].toFixed(2)];
    drawn("rect", { x, y: base - whole, width: 110, height: whole, class: "outside" }, svg);
    if (data.isFilled) drawn("rect", { x, y: base - kept, width: 110, height: kept, fill: data.colors[k] }, svg);
    drawn("text", { x: x + 55, y: base - whole - 8, class: "label" }, svg, data.isFilled ? `${like} × ${share}` : like);
    drawn("text", { x: x + 55, y: base + 20, class: "label" }, svg, name);
    if (data.isFilled) return;
    drawn("rect", { x, y: 235, width: 110, height: 26, class: "outside" }, svg);
    drawn("rect", { x, y: 235, width: 110 * broad.likes[k], height: 26, fill: data.colors[k] }, svg);
    drawn("text", { x: x + 55, y: 284, class: "label" }, svg, `fill to ${share}`);
  });
  return data.isFilled ? emptyParts(data, svg, moveTo) : null;
};

// First what stays empty, then what is filled, as a bar on which ε can be dragged; returns what shows an ε.
const emptyParts = (data, svg, moveTo) => {
  const left = 40, width = 540, y = 255;
  drawn("text", { x: left, y: y - 10 }, svg, `Empty: ${data.birth.toFixed(3)} of all`);
  drawn("text", { x: left + width, y: y - 10, "text-anchor": "end" }, svg, `Filled: ${(1 - data.birth).toFixed(3)}`);
  const whole = drawn("rect", { x: left, y, width, height: 26, class: "outside whole" }, svg);
  let from = left;
  const add = (share, look) => {
    drawn("rect", { x: from, y, width: width * share, height: 26, ...look }, svg);
    from += width * share;
  };
  for (const loss of data.losses) add(loss, { class: "outside" });
  data.carried.forEach((kept, k) => add(kept, { fill: data.colors[k] }));
  const marker = drawn("line", { y1: y - 6, y2: y + 34, class: "marker" }, svg);
  const name = drawn("text", { y: y + 50, class: "label" }, svg, "ε");
  const handle = drawn("rect", { x: left - 20, y: y - 8, width: width + 40, height: 62, class: "drag" }, svg);
  const follow = event => {
    const box = whole.getBoundingClientRect();
    moveTo(Math.round(100 * Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1)) / 100);
  };
  handle.onpointerdown = event => {
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = follow;
    follow(event);
  };
  // Or a finger would scroll the page; touch-action does nothing inside a drawing.
  handle.addEventListener("touchstart", event => event.preventDefault(), { passive: false });
  handle.onpointerup = handle.onpointercancel = () => { handle.onpointermove = null; };
  return epsilon => {
    for (const end of ["x1", "x2"]) marker.setAttribute(end, left + width * epsilon);
    name.setAttribute("x", left + width * epsilon);
    const holds = data.birth <= epsilon + ROUNDING;
    const said = `${data.narrow.name} ⊆ ${data.broad.name} ${holds ? "holds" : "does not hold"}`;
    return [`${said} at ε = ${epsilon.toFixed(2)}`, holds];
  };
};

// Three tags in a circle; an arrow leads from a tag to one that includes it.
const threeTags = (data, picture) => {
  const svg = drawn("svg", { viewBox: "0 0 620 300", role: "img", "aria-label": data.alt }, picture);
  const places = [[110, 240], [310, 56], [510, 240]], arrows = [];
  for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) {
    if (a === b) continue;
    const [[x, y], [toX, toY]] = [places[a], places[b]], length = Math.hypot(toX - x, toY - y);
    const across = [(toX - x) / length, (toY - y) / length], aside = [-across[1] * 13, across[0] * 13];
    const at = part => [x + part * (toX - x) + aside[0], y + part * (toY - y) + aside[1]];
    const [start, end] = [at(0.27), at(0.73)], group = drawn("g", {}, svg);
    drawn("line", { x1: start[0], y1: start[1], x2: end[0], y2: end[1] }, group);
    const [right, down] = across;
    const side = sign => [end[0] - 12 * right + sign * 7 * down, end[1] - 12 * down - sign * 7 * right];
    drawn("polygon", { points: [end, side(1), side(-1)].map(place => place.join(",")).join(" ") }, group);
    const text = at(0.5);
    drawn("text", { x: text[0] + 1.9 * aside[0], y: text[1] + 1.7 * aside[1] + 6, class: "label" }, group,
          data.births[a][b].toFixed(3));
    arrows.push({ group, a, b, birth: data.births[a][b] });
  }
  places.forEach(([x, y], k) => {
    drawn("circle", { cx: x, cy: y, r: 50, class: "node" }, svg);
    drawn("text", { x, y: y + 5, class: "label" }, svg, data.tags[k]);
  });
  return epsilon => {
    const holds = (a, b) => data.births[a][b] <= epsilon + ROUNDING;
    for (const { group, birth } of arrows) group.setAttribute("class", birth <= epsilon + ROUNDING ? "held" : "open");
    const pairs = [[0, 1], [1, 2], [0, 2]];
    const said = pairs.map(([a, b]) => `${data.tags[a]} ⊆ ${data.tags[b]}: ${holds(a, b) ? "yes" : "no"}`).join(" · ");
    const breaks = holds(0, 1) && holds(1, 2) && !holds(0, 2);
    return [breaks ? `${said} → not transitive` : said, breaks];
  };
};

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".slack");
  if (root.name !== data.name) root.epsilon = data.epsilon;
  root.name = data.name;
  root.replaceChildren();
  const picture = element("div", { class: "picture" });
  const moveTo = epsilon => { root.epsilon = epsilon; show(); };
  const update = (data.tags ? threeTags : twoTags)(data, picture, moveTo);
  root.append(picture);
  if (!update) return;  // there is no ε to drag yet
  const slider = element("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "ε" });
  const value = element("output", {}), said = element("p", { class: "status", "aria-live": "polite" });
  root.append(element("div", { class: "controls" }, element("b", {}, "ε"), slider, value), said);
  const show = () => {
    const [text, isMarked] = update(root.epsilon);
    slider.value = root.epsilon;
    value.textContent = root.epsilon.toFixed(2);
    said.textContent = text;
    said.classList.toggle("marked", isMarked);
    root.dataset.epsilon = root.epsilon;
  };
  slider.oninput = () => moveTo(Number(slider.value));
  show();
}
