const SESSION_COLUMNS = [
  { ...timeColumn(), cell: (row) => link(when(row.ts) || "session", "session", row.session_uid) },
  { title: "Who", name: true, cell: who, sort: (row) => row.client },
  {
    title: "Queue",
    wide: true,
    cell: (row) => [
      queueCell(row),
      el("br"),
      el("span", { class: "soft" }, "on "),
      hostLink(row.server),
      el("span", { class: "soft" }, ` ${row.endpoint}`),
    ],
    sort: (row) => row.queue,
  },
  {
    title: "Findings",
    number: true,
    cell: (row) => (row.findings ? [badge(LEVELS[row.worst]), ` ${number(row.findings)}`] : "0"),
    sort: (row) => row.worst * 1e6 + row.findings,
  },
  numberColumn("Purged", "purges"),
  numberColumn("Removed", "acked"),
  rareColumn("Put back", "nacked"),
  rareColumn("In doubt", "in_doubt"),
  numberColumn("Peeked", "peeked"),
  rareColumn("Moved", "moves"),
  rareColumn("Sent", "sends"),
  sizeColumn("Disclosed", "message_bytes"),
  {
    title: "State",
    cell: (row) => [words(row.state), row.doubt ? [el("br"), doubtMark(row.doubt)] : ""],
    sort: (row) => row.state,
  },
];

const sessionText = (row) =>
  [
    row.client,
    row.server,
    row.user,
    row.opened_for,
    row.opened_for_user,
    ...queueNames(row),
    row.endpoint,
    row.state,
    row.session_uid,
  ].join(" ");

function sessionList(id, rows, more = {}) {
  return listing({
    id,
    rows,
    columns: SESSION_COLUMNS,
    search: rows.length > 10 ? sessionText : null,
    empty: "No session.",
    ...more,
  }).element;
}

function sessionsView() {
  return page(
    "Sessions",
    "A session is a remote queue that a client had open, from its opening to its close.",
    sessionList("sessions", rowsOf("sessions"), { search: sessionText, said: embedded("sessions").said }),
  );
}

function read(row) {
  const counts = [
    ["acked", "removed"],
    ["peeked", "peeked at"],
    ["nacked", "put back"],
    ["rundown", "cut off"],
    ["cancelled", "cancelled"],
    ["timed_out", "timed out"],
    ["failed", "refused"],
    ["unfinished", "without an end"],
    ["in_doubt", "in doubt"],
  ];
  const said = counts.filter(([name]) => row[name]).map(([name, text]) => `${number(row[name])} ${text}`);
  return `${plural(row.receives, "receive")}, ${plural(row.peeks, "peek")}${said.length ? `: ${said.join(", ")}` : ""}`;
}

function bytesOf(row) {
  const parts = [
    [row.acked_bytes, "removed"],
    [row.peeked_bytes, "peeked at"],
    [row.nacked_bytes + row.rundown_bytes, "put back"],
    [row.in_doubt_bytes, "in doubt"],
  ];
  const known = parts.filter(([bytes]) => bytes).map(([bytes, text]) => `${size(bytes)} ${text}`);
  const rest = row.message_bytes - parts.reduce((sum, [bytes]) => sum + bytes, 0);
  return [...known, ...(rest > 0 ? [`${size(rest)} of reads without an end`] : [])].join(", ");
}

// Numbers are used again, so that a link means sessions of one time only: an application's and its supporting server's.
function linkedTo(row) {
  const all = row.link_uid ? grouped("sessions", "link_uid").get(row.link_uid) : [];
  const ends = (one) => one.closed_ts ?? Infinity;
  return [row, ...all.filter((one) => one.endpoint !== row.endpoint && one.ts <= ends(row) && ends(one) >= row.ts)];
}

const evidenceSaid = (row) =>
  row.named_by === "messages" && row.addressed ? `: ${plural(row.addressed, "message")}` : "";

function sessionView(uid) {
  const row = sessionOf(uid);
  if (!row) return page("Session not in the report", `${uid}: it is among those left out; the table sessions has it.`);
  const linked = linkedTo(row);
  const others = linked.filter((one) => one !== row);
  const about = (name) => linked.flatMap((one) => grouped(name, "session_uid").get(one.session_uid) ?? []);
  const access = [
    [1, "receive"],
    [2, "send"],
    [4, "move"],
    [32, "peek"],
    [128, "outgoing queue"],
  ]
    .filter(([bit]) => row.access & bit)
    .map(([, text]) => text);
  return page(
    ["Session: ", wire(row.queue)],
    [
      who(row),
      " \u2192 ",
      hostLink(row.server),
      `, from ${moment(row.ts)}${row.closed_ts ? ` to ${moment(row.closed_ts)} UTC, ${duration(row.closed_ts - row.ts)}` : ""}`,
    ],
    row.doubt ? el("p", { class: "note" }, `This row may be wrong: ${reasonSaid(row.doubt)}`) : "",
    facts([
      [
        "Queue",
        [
          queueCell(row),
          row.named_by
            ? el("span", { class: "soft" }, ` (${NAMED_BY[row.named_by] ?? row.named_by}${evidenceSaid(row)})`)
            : "",
        ],
      ],
      ["Or another queue", joined(row.other_names, (name) => wire(name))],
      ["State", STATES[row.state] ?? row.state],
      ["Reads", read(row)],
      ["Purges", row.purges ? el("b", { class: "bad" }, times(row.purges)) : ""],
      ["Moves", row.moves ? plural(row.moves, "message") : ""],
      ["Sent", row.sends ? plural(row.sends, "message") : ""],
      [
        "Messages that left the server",
        row.message_bytes
          ? `${size(row.message_bytes)} (${bytesOf(row)})`
          : "",
      ],
      ["Access asked for", access.join(", ") + (row.share_mode === 1 ? ", for itself alone" : "")],
      [
        "Account",
        row.user
          ? [userLink(row.user), el("span", { class: "soft" }, ` ${secretSaid(row.proven, accountOf(row.user))}`)]
          : "none told",
      ],
      [
        "Opened for",
        row.opened_for_user
          ? [userLink(row.opened_for_user), el("span", { class: "soft" }, ` ${claimSaid(row.opened_for_user)}`)]
          : "",
      ],
      [
        "Same work seen elsewhere",
        others.map((one) =>
          el("div", {}, sessionLink(one.session_uid, `${one.client} \u2192 ${one.server}, ${one.endpoint}`)),
        ),
      ],
      ["Interface", row.endpoint],
      ["session_uid", el("span", { class: "mono" }, row.session_uid)],
    ]),
    filterLine("Its first connection in Wireshark:", connectionFilter(row)),
    part(others.length ? "Calls, also of the linked sessions" : "Calls", ladder(row, linked)),
    part("Findings", findingList("findings", about("findings"))),
    questionsPart(about("questions")),
  );
}
