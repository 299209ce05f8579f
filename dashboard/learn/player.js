// Plays a recorded fit: people move through the triangle and films through the square, half-step by half-step.
//
// Time runs from 0, the random start, in half-steps: an odd one moves the films, an even one the people. What is drawn
// between two half-steps lies between their recorded places.

const HALF_STEP = 450;  // milliseconds
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

class Player {
  constructor(root, data) {
    Object.assign(this, { root, data, time: 0, isPlaying: false, said: "" });
    this.runs = data.runs.map(run => ({ ...run, mixtures: decoded(run.mixtures), likes: decoded(run.likes) }));
    this.truth = data.truth && between(decoded(data.truth.mixtures), 3 * data.people.length, 0);
    this.nSweeps = data.runs[0].errors.length;
    this.lastTime = 2 * this.nSweeps;
    this.addPanels();
    this.addControls();
    this.watcher = new ResizeObserver(() => { if (!this.isPlaying) this.draw(); });
    this.watcher.observe(root);
  }

  addPanels() {
    const { captions, errorCaption } = this.data;
    const triangle = { left: 26, right: 26, top: 30, bottom: 34 }, square = { left: 24, right: 8, top: 8, bottom: 26 };
    this.panels = [
      new Panel(captions[0], triangle), new Panel(captions[1], triangle), new Panel(this.data.items, square),
      new Panel(errorCaption, { ...square, left: 34 }),
    ];
    this.axes = element("select", { "aria-label": "Stereotypes across and up" });
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]])
      this.axes.append(element("option", { value: `${a}${b}` }, `${a + 1}, ${b + 1}`));
    this.axes.onchange = () => this.draw();
    this.panels[2].caption.append(", seen by ", this.axes);
    this.root.append(element("div", { class: "panels" }, ...this.panels.map(panel => panel.figure)));
  }

  addControls() {
    const button = (label, name, action) => {
      const made = element("button", { type: "button", "aria-label": name, title: name }, label);
      made.onclick = action;
      return made;
    };
    this.scrub = element("input", { type: "range", min: 0, max: this.lastTime, step: 1, "aria-label": "Half-step" });
    this.scrub.oninput = () => this.moveTo(Number(this.scrub.value));
    this.play = button("Play", "Play", () => (this.isPlaying ? this.pause() : this.begin()));
    this.play.className = "play";
    this.status = element("p", { class: "status", "aria-live": "polite" });
    const controls = [
      button("«", "Back to the start", () => this.moveTo(0)),
      button("‹", "One half-step back", () => this.moveTo(Math.ceil(this.time) - 1)),
      this.play,
      button("›", "One half-step forward", () => this.moveTo(Math.floor(this.time) + 1)),
      this.scrub,
    ];
    this.root.append(element("div", { class: "controls" }, ...controls), this.status);
  }

  draw() {
    const { data, panels, runs, time } = this, people = 3 * data.people.length, films = 3 * data.films.length;
    const mixtures = between(runs[0].mixtures, people, peopleAt(time));
    const likes = time > 0 ? between(runs[0].likes, films, filmsAt(time)) : null;
    this.root.shown = { mixtures, likes };
    // Nobody knows before the end what a corner stands for, so until then it has a number only.
    const corners = time < this.lastTime ? data.names.map((_, k) => `Stereotype ${k + 1}`) : data.names;
    drawPeople(panels[0], mixtures, data, corners);
    if (this.truth) drawPeople(panels[1], this.truth, data, data.names);
    else if (runs[1]) drawPeople(panels[1], between(runs[1].mixtures, people, peopleAt(time)), data, corners);
    else announce(...panels[1].begin(data.look), ["After your prediction:", "a second start"]);
    drawFilms(panels[2], likes, data, [...this.axes.value].map(Number), corners);
    drawErrors(panels[3], data, Math.floor(time / 2));
  }

  // Say in words what is shown; only when that changes, for screen readers read it out.
  say() {
    const step = Math.floor(this.time), sweep = Math.ceil(step / 2);
    const error = step >= 2 ? this.runs[0].errors[Math.floor(step / 2) - 1] : null;
    const { items, unit, nFilled, colored } = this.data;
    const which = step % 2 ? `${items} move, people wait` : `people move, ${items} wait`;
    const errorSaid = error === null ? "" : ` · error ${error.toFixed(3)} ${unit}`;
    const moved = `Iteration ${sweep} of ${this.nSweeps}: ${which}${errorSaid}`;
    const said = step ? moved : colored;
    if (this.said !== said) {
      this.status.replaceChildren(said);
      if (step && sweep <= nFilled)
        this.status.append(" ", element("span", { class: "filled" }, "missing ratings count as zeros"), " (why: scene 7)");
    }
    this.said = said;
    this.scrub.value = step;
    this.scrub.setAttribute("aria-valuetext", said);
    Object.assign(this.root.dataset, { step, error: error ?? "" });
  }

  show() {
    this.draw();
    this.say();
  }

  moveTo(time) {
    this.pause();
    this.time = Math.min(Math.max(time, 0), this.lastTime);
    this.show();
  }

  label(name) {
    this.play.textContent = name;
    for (const attribute of ["aria-label", "title"]) this.play.setAttribute(attribute, name);
  }

  pause() {
    this.isPlaying = false;
    cancelAnimationFrame(this.request);
    this.label("Play");
  }

  begin() {
    if (this.time >= this.lastTime) this.time = 0;
    this.isPlaying = true;
    this.label("Pause");
    const began = performance.now();
    let before = began, frames = 0;
    const frame = now => {
      this.time = Math.min(this.time + Math.max(now - before, 0) / HALF_STEP, this.lastTime);
      before = Math.max(now, before);
      this.show();
      this.root.dataset.framesPerSecond = (1000 * ++frames / Math.max(performance.now() - began, 1)).toFixed(1);
      if (this.time >= this.lastTime) this.pause();
      else this.request = requestAnimationFrame(frame);
    };
    this.request = requestAnimationFrame(frame);
  }

  end() {
    this.pause();
    this.watcher.disconnect();
    this.root.replaceChildren();
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".player"), former = root.player;
  former?.end();
  root.player = new Player(root, data);
  const isSame = former?.data.name === data.name;
  if (data.truth && !(isSame && former.data.truth)) root.player.time = root.player.lastTime;
  else if (isSame) root.player.time = former.time;
  root.player.show();
  return () => root.player.end();
}
