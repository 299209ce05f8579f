// Plays a recorded fit: people move through the triangle and films through the square, half-step by half-step.
//
// Time runs from 0, the random start, in half-steps: an odd one moves the films, an even one the people. What is drawn
// between two half-steps lies between their recorded places.

const HALF_STEP = 450;  // milliseconds
const MANY = 600;  // from so many points on, squares: they are drawn faster than discs

const decoded = text => new Uint16Array(Uint8Array.from(atob(text), mark => mark.charCodeAt(0)).buffer);

// The recorded values of one moment between two frames: (n_rows · n_columns,), from 0 to 1.
const between = (frames, length, place) => {
  const first = Math.floor(place), part = place - first, found = new Float32Array(length);
  const last = Math.min(first + 1, frames.length / length - 1);
  for (let k = 0; k < length; k++)
    found[k] = ((1 - part) * frames[first * length + k] + part * frames[last * length + k]) / 65535;
  return found;
};

// How many iterations people, or films, have moved at a time; films have no place before the first half-step.
const peopleAt = time => Math.floor(time / 2) + Math.max(time % 2 - 1, 0);
const filmsAt = time => Math.max(Math.floor((time + 1) / 2) - 1 + Math.max((time + 1) % 2 - 1, 0), 0);

class Panel {
  constructor(caption, margin) {
    this.canvas = element("canvas", caption ? { role: "img", "aria-label": caption } : { "aria-hidden": true });
    this.caption = element("figcaption", {}, caption);
    this.figure = element("figure", {}, this.caption, this.canvas);
    this.margin = margin;
  }

  // Clear the panel and return what draws on it, in a box of width 1 and height 1.
  begin(look) {
    const size = this.canvas.clientWidth, dense = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(size * dense))
      this.canvas.width = this.canvas.height = Math.round(size * dense);
    const pen = this.canvas.getContext("2d"), { left, right, top, bottom } = this.margin;
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, size, size);
    pen.font = "14px 'Source Sans', sans-serif";
    pen.fillStyle = look.ink;
    pen.strokeStyle = look.muted;
    return [pen, x => left + x * (size - left - right), y => top + y * (size - top - bottom)];
  }
}

const drawPoints = (pen, places, groups, colors) => {
  const many = groups.length > MANY, radius = many ? 1.5 : 3;
  colors.forEach((color, group) => {
    pen.fillStyle = color;
    pen.beginPath();
    for (let k = 0; k < groups.length; k++) {
      if (groups[k] !== group) continue;
      const x = places[2 * k], y = places[2 * k + 1];
      if (many) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else { pen.moveTo(x + radius, y); pen.arc(x, y, radius, 0, 7); }
    }
    pen.globalAlpha = 0.75;
    pen.fill();
    pen.globalAlpha = 1;
  });
};

const drawPeople = (panel, mixtures, data) => {
  const [pen, across, down] = panel.begin(data.look);
  const corners = cornersOf(3).map(([x, y]) => [across(x), down(y)]);
  pen.beginPath();
  corners.forEach(([x, y]) => pen.lineTo(x, y));
  pen.closePath();
  pen.stroke();
  const places = new Float32Array(2 * data.people.length);
  for (let k = 0; k < data.people.length; k++) {
    const at = 3 * k;
    for (const axis of [0, 1])
      places[2 * k + axis] = corners.reduce((sum, corner, c) => sum + mixtures[at + c] * corner[axis], 0);
  }
  drawPoints(pen, places, data.people, data.look.colors);
  corners.forEach(([x, y], k) => {
    pen.fillStyle = data.look.ink;
    pen.textAlign = ["left", "right", "center"][k];
    pen.fillText(data.corners[k], k === 2 ? x : k ? x + 22 : x - 22, k === 2 ? y - 8 : y + 20);
  });
};

const drawFilms = (panel, likes, data, axes) => {
  const [pen, across, down] = panel.begin(data.look);
  pen.strokeRect(across(0), down(0), across(1) - across(0), down(1) - down(0));
  pen.textAlign = "center";
  pen.fillText(`${data.corners[axes[0]]} likes it →`, across(0.5), down(1) + 18);
  pen.save();
  pen.translate(across(0) - 7, down(0.5));
  pen.rotate(-Math.PI / 2);
  pen.fillText(`${data.corners[axes[1]]} likes it →`, 0, 0);
  pen.restore();
  if (!likes) return;
  const places = new Float32Array(2 * data.films.length);
  for (let k = 0; k < data.films.length; k++) {
    places[2 * k] = across(likes[3 * k + axes[0]]);
    places[2 * k + 1] = down(1 - likes[3 * k + axes[1]]);
  }
  drawPoints(pen, places, data.films, data.look.colors);
};

const drawErrors = (panel, data, done) => {
  const [pen, across, down] = panel.begin(data.look);
  const n = data.runs[0].errors.length, highest = Math.max(...data.runs.flatMap(run => run.errors));
  const x = sweep => across(sweep / n), y = error => down(1 - error / highest);
  pen.fillStyle = data.look.faint;
  pen.fillRect(x(0), down(0), x(data.nFilled) - x(0), down(1) - down(0));
  pen.fillStyle = data.look.ink;
  pen.textAlign = "left";
  if (data.nFilled) pen.fillText("zeros", x(0) + 3, down(1) - 6);
  pen.beginPath();
  pen.moveTo(x(0), down(0));
  pen.lineTo(x(0), down(1));
  pen.lineTo(x(n), down(1));
  pen.stroke();
  pen.textAlign = "center";
  pen.fillText(`iteration, to ${n}`, across(0.5), down(1) + 18);
  pen.textAlign = "right";
  pen.fillText(highest.toFixed(1), x(0) - 4, down(0) + 10);
  pen.fillText("0", x(0) - 4, down(1));
  data.runs.forEach((run, k) => {
    pen.strokeStyle = k ? data.look.muted : data.look.accent;
    pen.lineWidth = k ? 2 : 3;
    pen.setLineDash(k ? [5, 4] : []);
    pen.beginPath();
    run.errors.slice(0, done).forEach((error, sweep) => pen.lineTo(x(sweep + 1), y(error)));
    pen.stroke();
  });
  pen.setLineDash([]);
  pen.lineWidth = 1;
};

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".player");
  cancelAnimationFrame(root.request);
  const n = data.runs[0].errors.length, lastTime = 2 * n;
  if (root.name !== data.name) root.time = 0;
  root.name = data.name;
  root.replaceChildren();
  const runs = data.runs.map(run => ({ ...run, mixtures: decoded(run.mixtures), likes: decoded(run.likes) }));
  const truth = data.truth && { mixtures: between(decoded(data.truth.mixtures), 3 * data.people.length, 0) };

  const triangle = { left: 26, right: 26, top: 26, bottom: 30 }, square = { left: 24, right: 8, top: 8, bottom: 26 };
  const panels = [new Panel(data.captions[0], triangle), new Panel(data.captions[1], triangle),
                  new Panel("Films", square), new Panel(data.errorCaption, { ...square, left: 34 })];
  const axesChoice = element("select", { "aria-label": "Stereotypes across and up" });
  for (const [a, b] of [[0, 1], [0, 2], [1, 2]])
    axesChoice.append(element("option", { value: `${a}${b}` }, `${data.corners[a]} × ${data.corners[b]}`));
  panels[2].caption.replaceChildren("Films ", axesChoice);
  root.append(element("div", { class: "panels" }, ...panels.map(panel => panel.figure)));

  const button = (label, name, action) => {
    const made = element("button", { type: "button", "aria-label": name, title: name }, label);
    made.onclick = action;
    return made;
  };
  const scrub = element("input", { type: "range", min: 0, max: lastTime, step: 1, "aria-label": "Half-step" });
  const play = button("Play", "Play", () => (root.isPlaying ? pause() : begin()));
  play.className = "play";
  const status = element("p", { class: "status", "aria-live": "polite" });
  root.append(element("div", { class: "controls" }, button("«", "Back to the start", () => moveTo(0)),
                      button("‹", "One half-step back", () => moveTo(Math.ceil(root.time) - 1)), play,
                      button("›", "One half-step forward", () => moveTo(Math.floor(root.time) + 1)), scrub), status);

  const draw = () => {
    const time = root.time, people = 3 * data.people.length, films = 3 * data.films.length;
    const mixtures = between(runs[0].mixtures, people, peopleAt(time));
    const likes = time > 0 ? between(runs[0].likes, films, filmsAt(time)) : null;
    root.shown = { mixtures, likes };
    drawPeople(panels[0], mixtures, data);
    if (truth) drawPeople(panels[1], truth.mixtures, data);
    else if (runs[1]) drawPeople(panels[1], between(runs[1].mixtures, people, peopleAt(time)), data);
    else panels[1].begin(data.look);
    const axes = [...axesChoice.value].map(Number);
    drawFilms(panels[2], likes, data, axes);
    drawErrors(panels[3], data, Math.floor(time / 2));
  };

  const say = () => {
    const step = Math.floor(root.time), sweep = Math.ceil(step / 2);
    const which = step % 2 ? "films move, people wait" : "people move, films wait";
    const error = step >= 2 ? ` · training error ${runs[0].errors[Math.floor(step / 2) - 1].toFixed(3)} stars` : "";
    const said = step ? `Iteration ${sweep} of ${n}: ${which}${error}` : "Everybody starts in a random corner.";
    if (root.said !== said || !status.firstChild) {
      status.replaceChildren(said);
      if (step && sweep <= data.nFilled)
        status.append(" ", element("span", { class: "filled" }, "missing ratings count as zeros"));
    }
    root.said = said;
    scrub.value = step;
    scrub.setAttribute("aria-valuetext", said);
    Object.assign(root.dataset, { step, error: step >= 2 ? runs[0].errors[Math.floor(step / 2) - 1] : "" });
  };

  const show = () => { draw(); say(); };
  const moveTo = time => { pause(); root.time = Math.min(Math.max(time, 0), lastTime); show(); };
  const pause = () => {
    root.isPlaying = false;
    cancelAnimationFrame(root.request);
    play.textContent = "Play";
    play.setAttribute("aria-label", "Play");
  };
  const begin = () => {
    if (root.time >= lastTime) root.time = 0;
    root.isPlaying = true;
    play.textContent = "Pause";
    play.setAttribute("aria-label", "Pause");
    let before = performance.now(), frames = 0;
    const began = before;
    const frame = now => {
      root.time = Math.min(root.time + Math.max(now - before, 0) / HALF_STEP, lastTime);
      before = Math.max(now, before);
      show();
      root.dataset.framesPerSecond = (1000 * ++frames / Math.max(performance.now() - began, 1)).toFixed(1);
      if (root.time >= lastTime) pause();
      else root.request = requestAnimationFrame(frame);
    };
    root.request = requestAnimationFrame(frame);
  };
  scrub.oninput = () => moveTo(Number(scrub.value));
  scrub.onkeydown = event => event.stopPropagation();  // elsewhere on the page, arrows may turn to another scene
  axesChoice.onchange = draw;
  root.watcher?.disconnect();
  root.watcher = new ResizeObserver(() => { if (!root.isPlaying) draw(); });
  root.watcher.observe(root);
  pause();
  show();
}
