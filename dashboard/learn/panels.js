// The pictures of the player: people in the triangle, films in the square, and the error curve.

const SPREAD = 0.12;  // of the triangle's width
const MANY = 600;  // from so many points on, squares: they are drawn faster than discs

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

// Points in the order of the rows and not of the colours, so that none of the colours lies on all others.
const drawPoints = (pen, places, groups, colors) => {
  const many = groups.length > MANY, radius = many ? 1.5 : 3;
  pen.globalAlpha = 0.8;
  for (let k = 0; k < groups.length; k++) {
    const x = places[2 * k], y = places[2 * k + 1];
    pen.fillStyle = colors[groups[k]];
    if (many) {
      pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    } else {
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
};

const drawPeople = (panel, mixtures, data, names) => {
  const [pen, across, down] = panel.begin(data.look);
  const corners = cornersOf(3).map(([x, y]) => [across(x), down(y)]);
  pen.beginPath();
  corners.forEach(([x, y]) => pen.lineTo(x, y));
  pen.closePath();
  pen.stroke();
  const places = new Float32Array(2 * data.people.length);
  for (let k = 0; k < data.people.length; k++) {
    // Whoever has the same mixture would hide the others: everybody is drawn a little way toward a place in the
    // triangle, always the same one, so that nobody leaves the triangle.
    const far = Math.sqrt((0.754878 * k) % 1), turn = (0.56984 * k) % 1, toward = [1 - far, far * (1 - turn), far * turn];
    const shares = toward.map((share, c) => (1 - SPREAD) * mixtures[3 * k + c] + SPREAD * share);
    for (const axis of [0, 1])
      places[2 * k + axis] = corners.reduce((sum, corner, c) => sum + shares[c] * corner[axis], 0);
  }
  drawPoints(pen, places, data.people, data.look.colors);
  corners.forEach(([x, y], k) => {
    pen.fillStyle = data.look.ink;
    pen.textAlign = ["left", "right", "center"][k];
    pen.fillText(names[k], k === 2 ? x : k ? x + 22 : x - 22, k === 2 ? y - 14 : y + 24);
  });
};

// Say in an empty panel what will be there.
const announce = (pen, across, down, lines) => {
  pen.textAlign = "center";
  lines.forEach((line, k) => pen.fillText(line, across(0.55), down(0.5) + 18 * (k - (lines.length - 1) / 2)));
};

const drawFilms = (panel, likes, data, axes, names) => {
  const [pen, across, down] = panel.begin(data.look);
  pen.strokeRect(across(0), down(0), across(1) - across(0), down(1) - down(0));
  pen.textAlign = "center";
  pen.fillText(`${names[axes[0]]} likes it →`, across(0.5), down(1) + 18);
  pen.save();
  pen.translate(across(0) - 7, down(0.5));
  pen.rotate(-Math.PI / 2);
  pen.fillText(`${names[axes[1]]} likes it →`, 0, 0);
  pen.restore();
  if (!likes) return announce(pen, across, down, [`${data.items} appear here`, "when you press Play"]);
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
  const zeros = data.nFilled ? ["", "Grey: zeros for", "missing ratings", "(see scene 7)"] : [];
  if (!done) announce(pen, across, down, ["Error appears here.", ...zeros]);
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
