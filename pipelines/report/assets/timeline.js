const LANES_BY = { kind: "kind", client: "client", user: "user", queue: "queue", server: "server" };

// All that the events have in these columns.
const eventValues = (...columns) =>
  remembered(`values of ${columns}`, () => {
    const found = new Set(columns.flatMap((name) => rowsOf("events").map((row) => row[name])));
    return [...found].filter(Boolean).sort();
  });

// The rules of the findings about it, with how many of each.
function rulesOf(row) {
  const found = new Map();
  for (const id of (row.rule_id ?? "").split(",").filter(Boolean)) found.set(id, (found.get(id) ?? 0) + 1);
  return found;
}

const foundCell = ([id, count]) =>
  el("div", { class: "small" }, "finding: ", ruleLink(id), count > 1 ? ` \u00d7 ${number(count)}` : "");
const rulesSaid = (row) => [...rulesOf(row).keys()].map((id) => ruleOf(id)?.title ?? "").join(" ");

function eventsWanted() {
  const kinds = new Set(chosenOf("kind").split(",").filter(Boolean));
  const least = LEVELS.indexOf(chosenOf("level"));
  const host = fitting("host", eventValues("client", "server"));
  const user = fitting("user", eventValues("user", "opened_for_user"));
  const queue = fitting("queue", eventValues("queue"));
  const ofQueue = (row) => !chosenOf("queue") || queueNames(row).some(queue);
  const text = chosenOf("text").toLowerCase();
  return rowsOf("events").filter(
    (row) =>
      (!kinds.size || kinds.has(row.kind)) &&
      (least < 0 || (row.level && LEVELS.indexOf(row.level) >= least)) &&
      (host(row.client) || host(row.server)) &&
      (user(row.user) || user(row.opened_for_user)) &&
      ofQueue(row) &&
      (!text || holds(`${row.what} ${row.outcome ?? ""} ${row.rule_id ?? ""} ${rulesSaid(row)}`, text)),
  );
}

function wholeSpan() {
  const rows = rowsOf("events");
  return remembered("span of events", () => {
    let [from, to] = [Infinity, -Infinity];
    for (const row of rows) {
      if (row.ts === null) continue;
      from = Math.min(from, row.ts);
      to = Math.max(to, row.until ?? row.ts);
    }
    return from > to ? [0, 1] : [from, Math.max(to, from + 1)];
  });
}

function chosenSpan() {
  const [first, last] = wholeSpan();
  const from = Number(chosenOf("from")) || first;
  const to = Number(chosenOf("to")) || last;
  return from < to ? [from, to] : [first, last];
}

const overlaps = (row, [from, to]) => row.ts !== null && row.ts <= to && (row.until ?? row.ts) >= from;

function timelineView() {
  const chart = el("div", {
    class: "chart",
    tabindex: "0",
    role: "group",
    "aria-label": "Timeline. Plus and minus zoom, arrows move, 0 shows all.",
  });
  const spanShown = el("span", { class: "soft", role: "status" });
  const list = listing({
    id: "events",
    rows: [],
    columns: EVENT_COLUMNS,
    said: embedded("events").said,
    empty: "No event fits.",
  });

  function draw() {
    const wanted = eventsWanted();
    const span = chosenSpan();
    const inside = wanted.filter((row) => overlaps(row, span));
    const [first, last] = wholeSpan();
    const all = span[0] === first && span[1] === last;
    drawChart(chart, inside, span, chosenOf("lanes") || "kind", zoomTo);
    spanShown.replaceChildren(`${moment(span[0])} to ${moment(span[1])} UTC, ${duration(span[1] - span[0])}`);
    list.show(all ? wanted : inside);
    for (const field of filters.querySelectorAll("input[type=datetime-local]")) field.value = chosenTime(field.name);
  }

  function zoomTo(from, to) {
    const [first, last] = wholeSpan();
    const [a, b] = [Math.max(first, Math.floor(from)), Math.min(last, Math.ceil(to))];
    const all = a <= first && b >= last;
    choose({ from: all ? null : a, to: all ? null : Math.max(b, a + 10), "events-page": null });
    draw();
  }

  function zoom(factor, shift = 0) {
    const [from, to] = chosenSpan();
    const [first, last] = wholeSpan();
    const half = Math.max(((to - from) / 2) * factor, 5);
    const middle = Math.min(last - half, Math.max(first + half, (from + to) / 2 + shift * (to - from)));
    zoomTo(middle - half, middle + half);
  }

  const moves = {
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    ArrowLeft: () => zoom(1, -0.25),
    ArrowRight: () => zoom(1, 0.25),
    0: () => zoomTo(-Infinity, Infinity),
  };
  chart.addEventListener("keydown", (event) => {
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
  });
  const tool = (text, label, key) =>
    el("button", { type: "button", title: label, "aria-label": label, onclick: () => moves[key]() }, text);
  const changed = () => {
    choose({ "events-page": null });
    draw();
  };
  const filters = el(
    "div",
    { class: "filters" },
    chips("kind", "Kind", Object.entries(KINDS), changed),
    selectFilter(
      "level",
      "Findings from level",
      [["", "all events"], ...LEVELS.map((level) => [level, level])],
      changed,
    ),
    textFilter("host", "Host", changed, eventValues("client", "server")),
    textFilter("user", "Account", changed, eventValues("user", "opened_for_user")),
    textFilter("queue", "Queue", changed, eventValues("queue")),
    textFilter("text", "What", changed),
    timeFilter("from", "From (UTC)", draw),
    timeFilter("to", "To (UTC)", draw),
    selectFilter("lanes", "Rows by", Object.entries(LANES_BY), draw),
  );
  const tools = el(
    "div",
    { class: "chart-tools" },
    tool("+", "zoom in", "+"),
    tool("\u2212", "zoom out", "-"),
    tool("\u25c0", "earlier", "ArrowLeft"),
    tool("\u25b6", "later", "ArrowRight"),
    tool("all", "show all", 0),
    spanShown,
  );
  const redraw = soon(() => chart.isConnected && draw(), 100);
  new ResizeObserver(redraw).observe(chart);
  draw();
  return page(
    "Timeline",
    "Drag over the chart to zoom. Each act is one line, with what was found about it; a line that stands for several says how many.",
    filters,
    chart,
    tools,
    list.element,
  );
}

const ACTS = ["purge", "admin", "query"];
const EVENT_COLUMNS = [
  timeColumn(),
  {
    title: "Kind",
    cell: (row) => [kindMark(row.kind), row.level ? [el("br"), badge(row.level)] : ""],
    sort: (row) => `${row.kind} ${LEVELS.indexOf(row.level)}`,
  },
  { title: "What", wide: true, cell: eventCell, sort: (row) => row.what },
  { title: "Who", tight: true, cell: fromTo, sort: (row) => row.client },
  { title: "How sure", cell: sureCell, sort: (row) => `${row.outcome ?? ""} ${row.doubt ?? ""}` },
  { title: "Frames", cell: proofCell },
];

function eventCell(row) {
  const often = row.count > 1 ? el("b", {}, ` \u00d7 ${number(row.count)}`) : "";
  const long = row.until ? el("span", { class: "soft" }, ` within ${duration(row.until - row.ts)}`) : "";
  const bytes = row.bytes ? el("span", { class: "soft" }, `, ${size(row.bytes)}`) : "";
  return [
    row.kind === "finding"
      ? ruleLink(row.rule_id)
      : ACTS.includes(row.kind) && actOf(row.call_uid)
        ? link(wire(row.what), "act", row.call_uid)
        : wire(row.what),
    often,
    long,
    bytes,
    row.queue ? [el("br"), queueCell(row)] : "",
    row.kind === "finding" ? "" : [...rulesOf(row)].map(foundCell),
  ];
}

function sureCell(row) {
  const kinds = { done: "soft", refused: "bad" };
  const outcome = row.outcome ? el("span", { class: kinds[row.outcome] ?? "doubt" }, row.outcome) : "";
  return [outcome, outcome && row.doubt ? el("br") : "", doubtMark(row.doubt)];
}
