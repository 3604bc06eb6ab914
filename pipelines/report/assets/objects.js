const COM_ENDINGS = {
  released: "all references given back",
  unpinged: "taken out of the ping set",
  pinged_out: "let go: the client stopped to ping",
  exporter_replaced: "its process was replaced",
  open_at_end: "there at the end of the captures",
};
const memberName = ([on, member]) => wire(member || (on ? `a call of ${on}` : "a call that nothing names"));
const className = (row) => row.class ?? row.clsid ?? row.interfaces[0] ?? "class not known";
const callsOn = (row) => [
  joined(
    row.members.slice(0, 4),
    (one) => [memberName(one), one[2] > 1 ? ` \u00d7${number(one[2])}` : ""],
  ),
  row.members.length > 4 || row.others > 0 ? el("span", { class: "soft" }, " and others") : "",
];
const OBJECT_COLUMNS = [
  { ...timeColumn("first", "First seen (UTC)") },
  { title: "Class", name: true, cell: (row) => link(wire(className(row)), "object", row.object_uid), sort: className },
  {
    title: "Handed to",
    tight: true,
    cell: (row) => [hostLink(row.client), row.user ? [" ", userLink(row.user)] : ""],
    sort: (row) => row.client,
  },
  { title: "On", cell: (row) => hostLink(row.server), sort: (row) => row.server },
  numberColumn("Calls", "calls_made"),
  { title: "Members called", wide: true, cell: callsOn },
  {
    title: "End",
    cell: (row) => [
      COM_ENDINGS[row.end] ?? row.end,
      row.doubt ? el("div", { class: "doubt small" }, words(row.doubt)) : "",
    ],
    sort: (row) => row.end,
  },
];

function objectList(id, rows, more = {}) {
  return listing({
    id,
    rows,
    columns: OBJECT_COLUMNS,
    search: (row) =>
      [className(row), row.clsid, row.client, row.user, row.server, row.runs_as, row.end, ...row.members.flat()].join(" "),
    ...more,
  }).element;
}

function objectsView() {
  return page(
    "COM objects",
    "One line an object: who it was first handed to, on which host it is, what was called on it and how it ended.",
    objectList("objects", rowsOf("objects"), { said: embedded("objects").said, empty: "No COM object was seen." }),
  );
}

function objectView(uid) {
  const row = grouped("objects", "object_uid").get(uid)?.[0];
  if (!row) return page("Object not in the report", `${uid}: it is among those left out; the table com_objects has it.`);
  const parent = grouped("objects", "object_uid").get(row.parent_object_uid)?.[0];
  const made = rowsOf("objects").filter((one) => one.parent_object_uid === uid);
  const members = row.members.map(([on, member, calls], place) => ({ place, on, member, calls }));
  const columns = [
    { title: "Interface", cell: (one) => wire(one.on), sort: (one) => one.on },
    { title: "Member", cell: (one) => memberName([one.on, one.member]), sort: (one) => one.member },
    numberColumn("Calls", "calls"),
  ];
  return page(
    ["Object: ", wire(className(row))],
    `${plural(row.calls_made, "call")}, from ${moment(row.first)} to ${moment(row.last)} UTC.`,
    facts([
      ["Class id", row.clsid ? el("span", { class: "mono" }, row.clsid) : ""],
      ["Handed to", [hostLink(row.client), row.user ? [" ", userLink(row.user)] : ""]],
      ["On", [hostLink(row.server), row.port === null ? "" : `, port ${row.port}`]],
      ["Its process runs as", row.runs_as ? [wire(row.runs_as), el("span", { class: "soft" }, " as it says")] : ""],
      ["Given by a call of", parent ? link(wire(className(parent)), "object", parent.object_uid) : ""],
      ["Interfaces", listed(row.interfaces, row.interfaces.length)],
      ["References", `${number(row.references_given)} given, ${number(row.references_returned)} returned`],
      ["End", COM_ENDINGS[row.end] ?? row.end],
      ["In doubt", row.doubt ? (overview().reasons[row.doubt] ?? words(row.doubt)) : ""],
    ]),
    part(
      "Calls",
      row.others > 0 ? el("p", { class: "note" }, `${plural(row.others, "call")} of other members; com_calls has all.`) : "",
      listing({ id: "members", rows: members, columns, empty: "No call of it was seen." }).element,
    ),
    made.length ? part("Objects that its calls handed out", objectList("made", made)) : "",
  );
}
