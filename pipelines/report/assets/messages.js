const MESSAGE_COLUMNS = [
  { ...timeColumn("first", "First seen (UTC)") },
  {
    title: "Label",
    cell: (row) => link(row.label ? wire(row.label) : "no label", "message", row.message_uid),
    sort: (row) => row.label,
  },
  {
    title: "Destination",
    wide: true,
    cell: (row) => wire(row.destination_queue),
    sort: (row) => row.destination_queue,
  },
  numberColumn("Seen", "sightings"),
  {
    title: "As",
    cell: (row) => [...new Set(row.seen.map((one) => one[2]))].filter(Boolean).join(", "),
    sort: (row) => row.seen[0]?.[2],
  },
  sizeColumn("Body", "body_size"),
  {
    title: "Whole",
    cell: (row) => (row.complete ? "yes" : el("span", { class: "doubt" }, "not all captured")),
    sort: (row) => row.complete,
  },
  {
    title: "Id",
    name: true,
    cell: (row) => el("span", { class: "mono small" }, wire(row.message_id)),
    sort: (row) => row.message_id,
  },
];

function messagesView() {
  return page(
    "Messages",
    "One line a message, however often it was seen.",
    listing({
      id: "messages",
      rows: rowsOf("messages"),
      columns: MESSAGE_COLUMNS,
      search: (row) =>
        [row.label, row.message_id, row.destination_queue, row.sender_id, row.body_sha256, ...row.seen.flat()].join(
          " ",
        ),
      said: embedded("messages").said,
      empty: "No message was seen.",
    }).element,
  );
}

function messageView(uid) {
  const row = grouped("messages", "message_uid").get(uid)?.[0];
  if (!row) return page("Message not in the report", `${uid}: it is among those left out; the table messages has it.`);
  const sessions = remembered(
    "sessions of calls",
    () => new Map(rowsOf("calls").map((call) => [call.call_uid, call.session_uid])),
  );
  const seen = row.seen.map(
    ([ts, operation, as, client, server, call, user, behind, queue, naming_doubt, outcome], place) => ({
      ...{ place, ts, operation, as, client, server, user, behind, queue, naming_doubt, outcome },
      session: sessions.get(call),
    }),
  );
  const columns = [
    timeColumn(),
    {
      title: "As",
      cell: (one) => [one.as, one.outcome ? el("div", { class: "soft small" }, OUTCOMES[one.outcome] ?? one.outcome) : ""],
      sort: (one) => one.as,
    },
    {
      title: "Who",
      tight: true,
      cell: (one) => [
        hostLink(one.client),
        one.user ? [" ", userLink(one.user)] : "",
        one.behind ? [el("br"), el("span", { class: "soft" }, "for "), userLink(one.behind)] : "",
        el("br"),
        el("span", { class: "soft" }, "\u2192 "),
        hostLink(one.server),
      ],
      sort: (one) => one.client,
    },
    { title: "Queue", name: true, cell: queueCell, sort: (one) => one.queue, rare: (one) => one.queue },
    { title: "Operation", cell: (one) => one.operation, sort: (one) => one.operation },
    { title: "Session", cell: (one) => sessionLink(one.session) },
  ];
  return page(
    ["Message: ", wire(row.label || "no label")],
    row.first === row.last
      ? `Seen ${times(row.sightings)}, ${moment(row.first)} UTC.`
      : `Seen ${times(row.sightings)}, from ${moment(row.first)} to ${moment(row.last)} UTC.`,
    row.bodies > 1
      ? el(
          "p",
          { class: "note" },
          `${number(row.bodies)} different bodies were seen under this id: a forgery, or two queue managers with one GUID.`,
        )
      : "",
    facts([
      ["Id", el("span", { class: "mono" }, wire(row.message_id))],
      ["Destination", wire(row.destination_queue)],
      ["Class", row.message_class],
      ["Sent", row.sent_ts ? `${moment(row.sent_ts)} UTC, as the sender says` : ""],
      ["Sender", row.sender_id ? [wire(row.sender_id), el("span", { class: "soft" }, " claimed")] : ""],
      ["Body", row.body_size === null ? "" : `${size(row.body_size)}, ${row.body_type ?? "type unknown"}`],
      [
        "SHA-256 of the body",
        row.body_sha256 ? el("span", { class: "mono" }, row.body_sha256) : "not known: the body was not captured whole",
      ],
    ]),
    part(
      "Seen",
      row.seen.length < row.sightings
        ? el(
            "p",
            { class: "note" },
            `The first ${number(row.seen.length)} of ${number(row.sightings)}; the table message_sightings has all.`,
          )
        : "",
      listing({ id: "seen", rows: seen, columns }).element,
    ),
  );
}
