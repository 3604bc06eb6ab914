const QUEUE_CHANGES = ["created", "deleted", "secured", "controlled", "changed"];
const changesOfQueue = (row) => QUEUE_CHANGES.reduce((sum, name) => sum + row[name], 0);
const QUEUE_COLUMNS = [
  {
    title: "Queue",
    wide: true,
    cell: (row) => [
      queueLink(row.names[0], row.hosts[0]),
      row.named ? "" : el("span", { class: "soft" }, " (no call names it)"),
      row.names.length > 1 ? el("div", { class: "soft small" }, listed(row.names.slice(1), 3)) : "",
      el("div", {}, el("span", { class: "soft" }, "on "), joined(row.hosts, hostLink)),
    ],
    sort: (row) => row.names[0],
  },
  spanColumn,
  rareColumn("Purged", "purged"),
  {
    title: "Changed",
    number: true,
    rare: changesOfQueue,
    cell: (row) =>
      changesOfQueue(row)
        ? [
            number(changesOfQueue(row)),
            QUEUE_CHANGES.filter((name) => row[name]).map((name) =>
              el("div", { class: "soft small" }, `${number(row[name])} ${name}`),
            ),
          ]
        : "0",
    sort: changesOfQueue,
  },
  ...[
    ["Received", "received"],
    ["Read", "read"],
    ["Moved from", "moved_from"],
    ["Moved to", "moved_to"],
    ["Peeked", "peeked"],
    ["Sent", "sent"],
    ["Opened", "opened"],
    ["Asked", "inspected"],
  ].map(([title, name]) => rareColumn(title, name)),
];

function queuesView() {
  return page(
    "Queues",
    "Names belong together where a call shows that they mean one queue. Acts are those that succeeded.",
    listing({
      id: "queues",
      rows: rowsOf("queues"),
      columns: QUEUE_COLUMNS,
      search: (row) => [...row.names, ...row.numbers, ...row.hosts].join(" "),
      said: embedded("queues").said,
    }).element,
  );
}

function queueView(name, server) {
  const row = queueOf(name, server);
  const names = namesOf(name, server);
  const touches = rowsOf("touches").filter((one) => isOfQueue(one, names, server));
  const sessions = rowsOf("sessions").filter((one) => isOfQueue(one, names, server));
  const uids = new Set(sessions.map((one) => one.session_uid));
  const about = (name) => rowsOf(name).filter((one) => uids.has(one.session_uid) || isOfQueue(one, names, server));
  const acts = rowsOf("events").filter(
    (one) => ["purge", "admin", "move", "query"].includes(one.kind) && isOfQueue(one, names, server),
  );
  return page(
    ["Queue: ", wire(name)],
    row && !row.named ? "No call in the captures names this queue; a number may mean another queue later." : "",
    facts([
      [
        "Other names",
        joined(
          [...names].filter((one) => one !== name),
          wire,
        ),
      ],
      ["Numbers", listed(row?.numbers ?? [])],
      ["Servers", joined(row?.hosts ?? [server].filter(Boolean), hostLink)],
      ["Seen", row ? `${moment(row.first)} to ${moment(row.last)} UTC` : ""],
    ]),
    timelineLink({ queue: name }),
    part("Who touched it", touchList("who", touches)),
    acts.length
      ? part("Purges, moves and administration", listing({ id: "acts", rows: acts, columns: EVENT_COLUMNS }).element)
      : "",
    rightsPart(rowsOf("acts").filter((one) => isOfQueue(one, names, server))),
    part("Sessions", sessionList("sessions", sessions)),
    part("Findings", findingList("findings", about("findings"))),
    questionsPart(about("questions")),
  );
}
