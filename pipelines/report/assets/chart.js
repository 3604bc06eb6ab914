// Events on a time axis, a row for each kind, host, user or queue; dragging over it chooses a span.
const BINS = 140;
const LANE = 34;
const NAMES = 190;
const MOST_LANES = 12;
const [SECOND, MINUTE, HOUR, DAY] = [1e6, 6e7, 36e8, 864e8];
const STEPS = [
  ...[0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((lead) => lead * 10 ** power)),
  ...[10, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 30, 90, 365].map((days) => days * DAY),
];

const CAME = { done: "done", refused: "refused", undone: "undone" };

function lanesOf(rows, by) {
  const counts = new Map();
  if (by === "kind") for (const kind of Object.keys(KINDS)) counts.set(kind, { all: 0 });
  for (const row of rows) {
    const lane = row[by] ?? "";
    if (!counts.has(lane)) counts.set(lane, { all: 0 });
    const count = counts.get(lane);
    const came = row.outcome ? (CAME[row.outcome.split(" ")[0]] ?? "not known") : "done";
    count.all += row.count;
    count[came] = (count[came] ?? 0) + row.count;
  }
  const lanes = [...counts].filter(([, count]) => count.all || by === "kind");
  return by === "kind" ? lanes : lanes.sort((a, b) => b[1].all - a[1].all || compared(a[0], b[0])).slice(0, MOST_LANES);
}

// What was done is counted apart from what was refused and from what nobody knows.
function countSaid(count) {
  const others = ["refused", "undone", "not known"].filter((name) => count[name]).map((name) => `${number(count[name])} ${name}`);
  return [number(count.done ?? 0), ...others].join(", ");
}

function drawChart(chart, rows, [from, to], by, zoomTo) {
  const width = Math.max(480, chart.clientWidth - 16);
  const lanes = lanesOf(rows, by);
  const height = lanes.length * LANE + 26;
  const across = (ts) => NAMES + ((ts - from) / (to - from)) * (width - NAMES - 12);
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    height,
    role: "img",
    "aria-label": `${number(rows.length)} lines of events`,
  });
  for (const [at, text] of ticks(from, to, (width - NAMES) / 110)) {
    picture.append(
      svg("line", { class: "rule", x1: across(at), x2: across(at), y1: 0, y2: height - 20 }),
      svg(
        "text",
        { class: "tick", x: across(at), y: height - 6, "text-anchor": across(at) > width - 40 ? "end" : "middle" },
        text,
      ),
    );
  }
  lanes.forEach((one, place) => picture.append(lane(rows, by, one, place * LANE, width, [from, to], across)));
  const surface = svg("rect", { class: "surface", x: NAMES, y: 0, width: width - NAMES, height: height - 20 });
  picture.append(surface);
  brushed(picture, surface, width, height, (a, b) =>
    zoomTo(
      from + ((a - NAMES) / (width - NAMES - 12)) * (to - from),
      from + ((b - NAMES) / (width - NAMES - 12)) * (to - from),
    ),
  );
  chart.replaceChildren(picture);
}

// An event that lasts, or a line that stands for several, is spread evenly over its time.
function binned(rows, [from, to]) {
  const bins = new Array(BINS).fill(0);
  const kinds = new Array(BINS);
  const at = (ts) => Math.min(BINS - 1, Math.max(0, Math.floor(((ts - from) / (to - from)) * BINS)));
  for (const row of rows) {
    const [first, last] = [at(row.ts), at(row.until ?? row.ts)];
    for (let bin = first; bin <= last; bin += 1) {
      bins[bin] += row.count / (last - first + 1);
      kinds[bin] ??= row.kind;
    }
  }
  return { bins, kinds };
}

function lane(rows, by, [value, count], top, width, [from, to], across) {
  const { bins, kinds } = binned(
    rows.filter((row) => (row[by] ?? "") === value),
    [from, to],
  );
  const most = Math.max(1, ...bins);
  const name = value ? (by === "kind" ? KINDS[value] : value) : `${by} not known, or several`;
  const group = svg(
    "g",
    { class: by === "kind" ? `of-${value}` : null },
    svg("line", { class: "rule", x1: 0, x2: width, y1: top + LANE - 0.5, y2: top + LANE - 0.5 }),
    svg("text", { class: "lane-name", x: 4, y: top + 15 }, shortened(name, 27)),
    svg("text", { class: "lane-count", x: 4, y: top + 28 }, countSaid(count)),
  );
  bins.forEach((amount, bin) => {
    if (!amount) return;
    const tall = 4 + (LANE - 10) * (Math.log1p(amount) / Math.log1p(most));
    const start = from + ((to - from) * bin) / BINS;
    const said = Number.isInteger(amount) ? number(amount) : `about ${number(Math.max(1, Math.round(amount)))}`;
    const bar = svg(
      "rect",
      {
        class: by === "kind" ? "bar" : `bar of-${kinds[bin]}`,
        x: across(start),
        width: Math.max(2, (width - NAMES - 12) / BINS - 1),
        y: top + LANE - 2 - tall,
        height: tall,
        rx: 1,
      },
      svg("title", {}, `${moment(Math.round(start))}: ${said}`),
    );
    group.append(bar);
  });
  return group;
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

function ticks(from, to, most) {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? STEPS[STEPS.length - 1];
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to && found.length < 40; at += step) {
    const text = moment(at);
    found.push([
      at,
      step >= DAY
        ? text.slice(0, 10)
        : step >= SECOND
          ? text.slice(11, 19)
          : step >= 1e3
            ? text.slice(11, 23)
            : text.slice(17),
    ]);
  }
  return found;
}

function brushed(picture, surface, width, height, done) {
  let start = null;
  const shade = svg("rect", { class: "brush", y: 0, height: height - 20, x: 0, width: 0 });
  const at = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.min(width, Math.max(NAMES, ((event.clientX - box.left) / box.width) * width));
  };
  surface.addEventListener("pointerdown", (event) => {
    start = at(event);
    surface.setPointerCapture(event.pointerId);
    picture.append(shade);
  });
  surface.addEventListener("pointermove", (event) => {
    if (start === null) return;
    shade.setAttribute("x", Math.min(start, at(event)));
    shade.setAttribute("width", Math.abs(at(event) - start));
  });
  surface.addEventListener("pointerup", (event) => {
    const end = at(event);
    shade.remove();
    if (start !== null && Math.abs(end - start) > 4) done(Math.min(start, end), Math.max(start, end));
    start = null;
  });
}
