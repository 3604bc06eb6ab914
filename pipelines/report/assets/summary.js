function summaryView() {
  const { levels, summary, next, manifest } = overview();
  const tiles = [...LEVELS]
    .reverse()
    .map((level) =>
      el(
        "a",
        { class: `tile ${levels[level] ? level : "none"}`, href: `#findings?level=${level}` },
        el("b", {}, number(levels[level])),
        level,
      ),
    );
  const [captured, found, done, sure, undecided, damage] = summary;
  const group = (one, wide) =>
    el(
      "section",
      { class: wide ? "wide" : null, id: `summary-${one.id}` },
      el("h2", {}, one.title),
      el(
        "ul",
        {},
        one.sentences.map((parts) => el("li", {}, sentence(parts))),
      ),
    );
  const nextSteps = { id: "next", title: "Where to look next", sentences: next };
  const chart = el("div", { class: "chart" });
  const rows = rowsOf("events");
  const draw = () =>
    drawChart(
      chart,
      rows.filter((row) => row.ts !== null),
      wholeSpan(),
      "kind",
      (from, to) => {
        location.hash = `timeline?from=${Math.floor(from)}&to=${Math.ceil(to)}`;
      },
    );
  new ResizeObserver(soon(() => chart.isConnected && draw(), 50)).observe(chart);
  return page(
    manifest.case ? ["Summary of case ", wire(manifest.case)] : "Summary",
    captured.sentences.map((parts, place) => [place ? " " : "", sentence(parts)]),
    el("h2", { class: "hidden" }, "Findings by level"),
    el("div", { class: "headline" }, tiles),
    el(
      "div",
      { class: "summary" },
      group(found, true),
      group(done, true),
      rows.length ? el("section", { class: "wide" }, el("h2", {}, link("When", "timeline")), chart) : "",
      next.length ? group(nextSteps) : "",
      group(sure),
      group(undecided),
      group(damage),
    ),
  );
}

const otherReads = (row) =>
  [
    ["put_back", "put back"],
    ["cut_off", "cut off"],
    ["in_doubt", "in doubt"],
    ["refused", "refused"],
  ].filter(([name]) => row[name]);
const WHO_COLUMNS = [
  { title: "Who", snug: true, cell: who, sort: (row) => row.client },
  {
    title: "Queue",
    name: true,
    cell: (row) => [
      objectCell(row),
      el("br"),
      el("span", { class: "soft" }, "on "),
      hostLink(row.server),
      el(
        "span",
        { class: "screen" },
        el("span", { class: "soft" }, " \u00b7 "),
        linkWith("timeline", "timeline", row.queue ? { host: row.client, queue: row.queue } : { host: row.client }),
      ),
    ],
    sort: (row) => row.queue ?? row.object,
  },
  spanColumn,
  purgedColumn,
  changedColumn,
  numberColumn("Removed", "removed"),
  rareColumn("Moved", "moves"),
  numberColumn("Peeked", "peeked"),
  {
    title: "Other reads",
    cell: (row) => otherReads(row).map(([name, text]) => el("div", { class: "small" }, `${number(row[name])} ${text}`)),
    rare: (row) => otherReads(row).length,
  },
  rareColumn("Sent", "sends"),
  rareColumn("Asked", "inspected"),
  sizeColumn("Disclosed", "bytes"),
  {
    title: "Sessions",
    number: true,
    cell: (row) => [
      number(row.sessions),
      row.doubts ? el("div", { class: "doubt" }, `${number(row.doubts)} in doubt`) : "",
      row.unsure_queue ? el("div", { class: "doubt" }, `${number(row.unsure_queue)} by a name in doubt`) : "",
    ],
    sort: (row) => row.sessions,
  },
];

function touchList(id, rows, more = {}) {
  return listing({
    id,
    rows,
    columns: WHO_COLUMNS,
    search: (row) => [row.client, row.user, row.opened_for, row.opened_for_user, ...queueNames(row), row.object, row.server].join(" "),
    empty: "Nobody was seen to touch it.",
    ...more,
  }).element;
}

function whoView() {
  return page(
    "Who did what",
    "Every client with every queue that it touched, the gravest first. Changed: created, deleted, configured or controlled; sealed: calls of management whose values nobody sees. Disclosed: bytes of messages that left the server; a peek discloses a message too, and leaves it there.",
    touchList("who", rowsOf("touches"), { said: embedded("touches").said }),
  );
}
