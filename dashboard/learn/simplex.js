// Shared by the components of the page Learn: making elements, and where a mixture lies in a line or a triangle.

const TRIANGLE = [[0, 1], [1, 1], [0.5, 0]];  // the corners, in a box of width 1 and height 1, downwards
const LINE = [[0, 0.5], [1, 0.5]];
const STEP = 0.05;  // of one press of an arrow key

const cornersOf = n => (n === 2 ? LINE : TRIANGLE);

const placeOf = mixture =>
  [0, 1].map(axis => cornersOf(mixture.length).reduce((sum, corner, k) => sum + mixture[k] * corner[axis], 0));

// Shares in whole percents that add up to 1, so that what people read adds up too.
const inWholePercents = raw => {
  const kept = raw.map(share => Math.max(share, 0));
  const total = kept.reduce((sum, share) => sum + share, 0);
  const percents = kept.map(share => Math.round(100 * share / total));
  const largest = percents.indexOf(Math.max(...percents));
  percents[largest] += 100 - percents.reduce((sum, share) => sum + share, 0);
  return percents.map(share => share / 100);
};

// The mixture at a place of the box; beyond an edge, the one on the edge.
const mixtureAt = (n, x, y) =>
  inWholePercents(n === 2 ? [1 - x, x] : [1 - x - (1 - y) / 2, x - (1 - y) / 2, 1 - y]);

// The mixture after an arrow key: right and left along the lower edge, up and down to and from the upper corner.
const mixtureAfter = (key, mixture) => {
  const moves = mixture.length === 2
    ? { ArrowRight: [-1, 1], ArrowUp: [-1, 1], ArrowLeft: [1, -1], ArrowDown: [1, -1] }
    : { ArrowRight: [-1, 1, 0], ArrowLeft: [1, -1, 0], ArrowUp: [-0.5, -0.5, 1], ArrowDown: [0.5, 0.5, -1] };
  const move = moves[key];
  return move && inWholePercents(mixture.map((share, k) => share + STEP * move[k]));
};

const dot = (mixture, likes) => mixture.reduce((sum, share, k) => sum + share * likes[k], 0);

const SVG = "http://www.w3.org/2000/svg";

// A new part of a drawing, appended to its parent.
const drawn = (tag, attributes, parent, text = "") => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
};

// A new element with attributes and children.
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
