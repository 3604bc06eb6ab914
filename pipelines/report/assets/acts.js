const AUTHENTICATION = {
  1: "none",
  2: "at the connection only",
  3: "at the beginning of each call",
  4: "of each packet, not of its content",
  5: "every packet signed",
  6: "every packet signed and sealed",
};

const actOf = (uid) => (uid ? grouped("acts", "call_uid").get(uid)?.[0] : undefined);
const objectCell = (row) =>
  row.queue ? queueCell(row) : el("span", { class: "soft" }, wire(row.object ?? row.target));

const ACT_COLUMNS = [
  timeColumn(),
  {
    title: "What",
    wide: true,
    cell: (row) => [link(wire(row.what), "act", row.call_uid), el("br"), objectCell(row)],
    sort: (row) => row.what,
  },
  { title: "Who", tight: true, cell: fromTo, sort: (row) => row.client },
  {
    title: "Result",
    cell: (row) => [sureCell(row), row.result ? el("div", { class: "soft small" }, row.result) : ""],
    sort: (row) => row.outcome,
  },
  { title: "Frames", cell: proofCell },
];

const actText = (row) => [row.what, row.client, row.server, row.user, row.opened_for_user, ...queueNames(row), row.target, row.result].join(" ");

function actList(id, rows) {
  return listing({
    id,
    rows,
    columns: ACT_COLUMNS,
    search: rows.length > 10 ? actText : null,
    said: embedded("acts").said,
    empty: "No act of administration.",
  }).element;
}

// A value of a security descriptor comes with what it means.
function valueShown(value, rights, unknown) {
  if (value === null) return el("span", { class: "soft" }, unknown);
  if (!rights.length) return wire(value);
  return [rights.map((one) => el("div", {}, wire(one))), el("div", { class: "mono small soft sddl" }, wire(value))];
}

const CHANGE_COLUMNS = (asked) => [
  {
    title: "Property",
    cell: (row) => [
      wire(row.name),
      row.property === row.name ? "" : el("div", { class: "mono small soft" }, wire(row.property)),
    ],
  },
  ...(asked
    ? []
    : [
        {
          title: "Before",
          wide: true,
          cell: (row) => [
            valueShown(row.old, row.oldRights, "not seen"),
            actOf(row.shownBy) ? el("div", { class: "small" }, link("shown by this inquiry", "act", row.shownBy)) : "",
          ],
        },
      ]),
  {
    title: asked ? "Answered" : "Now",
    wide: true,
    cell: (row) => valueShown(row.now, row.nowRights, "not told"),
  },
];

const changesOf = (row) =>
  row.changes.map(([property, name, old, now, oldRights, nowRights, shownBy], place) => ({
    ...{ place, property, name, old, now, oldRights, nowRights, shownBy },
  }));

function changeList(row) {
  const left = row.changes_left_out
    ? `${plural(row.changes_left_out, "property", "properties")} more; the table admin_actions has all.`
    : "";
  const tried = row.outcome === "refused" ? el("p", { class: "note" }, "Refused: nothing of it came about.") : "";
  const list = listing({ id: "changes", rows: changesOf(row), columns: CHANGE_COLUMNS(row.kind === "query"), said: left });
  return [tried, list.element];
}

function actView(uid) {
  const row = actOf(uid);
  if (!row) return page("Act not in the report", `${uid}: it is among those left out; the table admin_actions has it.`);
  const level = row.auth_level === null ? "none" : (AUTHENTICATION[row.auth_level] ?? `level ${row.auth_level}`);
  const about = (name) => grouped(name, "call_uid").get(uid) ?? [];
  return page(
    wire(row.what.split(": ")[0]),
    [who(row), " \u2192 ", hostLink(row.server), `, ${moment(row.ts)} UTC`],
    facts([
      [row.queue ? "Queue" : "Object", objectCell(row)],
      ["Result", [sureCell(row), row.result ? ` ${row.result}` : ""]],
      ["Call", `${row.operation} of ${row.endpoint}`],
      ["Account", row.user ? [userLink(row.user), el("span", { class: "soft" }, ` ${claimSaid(row.user)}`)] : "none told"],
      ["Authentication", level],
      ["Session", sessionLink(row.session_uid, "its session")],
      ["Frames", framesCell(row)],
      ["call_uid", el("span", { class: "mono" }, row.call_uid)],
    ]),
    framesOf(row).length ? filterLine("In Wireshark:", framesFilter(framesOf(row))) : "",
    row.changes.length ? part(row.kind === "query" ? "What was answered" : "What was set", changeList(row)) : "",
    part("Findings", findingList("findings", about("findings"))),
    questionsPart(about("questions")),
  );
}

// Who may do what with a queue, as those acts that were done set it or were told it.
function rightsPart(rows) {
  const found = rows.flatMap((row) =>
    row.outcome === "done"
      ? changesOf(row)
          .filter((change) => change.property === "security" && change.now !== null)
          .map((change) => ({ ...row, change }))
      : [],
  );
  if (!found.length) return "";
  const columns = [
    { ...timeColumn(), cell: (row) => link(when(row.ts), "act", row.call_uid) },
    {
      title: "By",
      tight: true,
      cell: (row) => [el("span", { class: "soft" }, row.kind === "query" ? "told to" : "set by"), el("br"), who(row)],
    },
    {
      title: "Who may do what",
      wide: true,
      cell: (row) => valueShown(row.change.now, row.change.nowRights, ""),
    },
    {
      title: "Before",
      wide: true,
      cell: (row) => (row.kind === "query" ? "" : valueShown(row.change.old, row.change.oldRights, "not seen")),
    },
  ];
  return part("Rights", listing({ id: "rights", rows: found, columns }).element);
}
