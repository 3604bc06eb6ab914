// Cells and columns that several views have.
const hostLink = (host) => (host ? link(host, "host", host) : "");
const userLink = (user) => (user ? link(wire(user), "user", user) : "");
const queueLink = (name, server) => (name ? link(path(name), "queue", name, server ?? "") : "");
const NAMED_BY = {
  open: "named when it was opened",
  answer: "named by the server's answer",
  remote_open: "named by R_QMOpenRemoteQueue, which gave the handle",
  call: "named by the call",
  messages: "named by the messages read from it, which were all addressed to it",
};
// A name that is not certain says why.
const namingMark = (row) =>
  row.naming_doubt
    ? [" ", el("span", { class: "doubt", title: reasonSaid(row.naming_doubt) }, `name in doubt: ${words(row.naming_doubt)}`)]
    : "";
const queueCell = (row) => [queueLink(row.queue, row.server), namingMark(row)];
// All names of the queue that a row is about.
const queueNames = (row) => (row.queue ? [...namesOf(row.queue, row.server)] : []);
const ruleLink = (id) => link(ruleOf(id)?.title ?? id, "rule", id);
const questionLink = (id) => link(ruleOf(id)?.question ?? id, "rule", id);
const sessionLink = (uid, text = "session") => (uid && sessionOf(uid) ? link(text, "session", uid) : "");
const doubtMark = (reason) =>
  reason
    ? el(
        "span",
        { class: "doubt", title: reasonSaid(reason) },
        reason === "sealed" ? reason : `in doubt: ${words(reason)}`,
      )
    : "";

function who(row) {
  const behind = row.opened_for
    ? [
        el("br"),
        el("span", { class: "soft" }, "for "),
        hostLink(row.opened_for),
        row.opened_for_user ? [" ", userLink(row.opened_for_user)] : "",
      ]
    : "";
  return [
    row.client ? hostLink(row.client) : el("span", { class: "soft" }, "several"),
    row.user ? [" ", userLink(row.user)] : "",
    behind,
  ];
}

// Frames with their filter; the capture is named where there are several.
function framesCell(row) {
  const frames = framesOf(row);
  if (!frames.length) return "";
  const capture = rowsOf("captures").length > 1 ? captureOf(row.capture_id) : null;
  return el(
    "span",
    { class: "frames" },
    joined(ranges(frames), ([first, last]) =>
      el("span", { class: "keep" }, first === last ? `${first}` : `${first}\u2013${last}`),
    ),
    " ",
    copyButton(framesFilter(frames)),
    capture ? [el("br"), el("span", { class: "soft small" }, wire(fileName(capture.path)))] : "",
  );
}

const proofCell = (row) => [
  framesCell(row),
  row.session_uid && sessionOf(row.session_uid)
    ? [framesOf(row).length ? el("br") : "", sessionLink(row.session_uid)]
    : "",
];

function filterLine(label, filter) {
  return el(
    "p",
    { class: "filter" },
    el("span", { class: "soft" }, label),
    el("code", {}, filter),
    copyButton(filter, "copy"),
  );
}

// The day is said less loudly: mostly it is the same for many lines.
const day = (text) => el("span", { class: "soft small" }, text.slice(0, 10));

function when(us) {
  const text = moment(us);
  return text ? [text.slice(11), el("br"), day(text)] : "";
}

function fromUntil(first, last) {
  const [a, b] = [moment(first).slice(0, 19), moment(last).slice(0, 19)];
  if (a === b) return a ? [day(a), el("br"), a.slice(11)] : "";
  if (a.slice(0, 10) === b.slice(0, 10)) return [day(a), el("br"), a.slice(11), "\u2013", b.slice(11)];
  return [day(a), " ", a.slice(11), el("br"), day(b), " ", b.slice(11)];
}

const fromTo = (row) => [who(row), el("br"), el("span", { class: "soft" }, "\u2192 "), hostLink(row.server)];
const timeColumn = (name = "ts", title = "Time (UTC)") => ({
  title,
  time: true,
  cell: (row) => when(row[name]),
  sort: (row) => row[name],
});
const numberColumn = (title, name) => ({
  title,
  number: true,
  cell: (row) => number(row[name]),
  sort: (row) => row[name],
});
const spanColumn = {
  title: "First and last (UTC)",
  time: true,
  cell: (row) => fromUntil(row.first, row.last),
  sort: (row) => row.first,
};
// Shown only where some line has one.
const rareColumn = (title, name) => ({ ...numberColumn(title, name), rare: (row) => row[name] });
const sizeColumn = (title, name) => ({
  title,
  number: true,
  cell: (row) => (row[name] ? size(row[name]) : "0"),
  sort: (row) => row[name],
});
const withDoubt = (sure, doubtful, word) =>
  doubtful ? [number(sure), el("br"), el("span", { class: "doubt" }, `${number(doubtful)} ${word}`)] : number(sure);
const purgedColumn = {
  ...numberColumn("Purged", "purges"),
  cell: (row) => withDoubt(row.purges, row.purges_unknown, "not known"),
};
const changedColumn = {
  ...numberColumn("Changed", "administered"),
  cell: (row) => withDoubt(row.administered, row.sealed, "sealed"),
};
const textColumn = (title, name) => ({ title, cell: (row) => wire(row[name]), sort: (row) => row[name] });

// What a secret that was given says of a name, which is only claimed else.
const SECRETS = {
  right: "claimed, and signatures prove that the client knew its secret",
  ticket: "told by a ticket, and signatures prove that the client could use it",
  wrong: "claimed, not proven: the secret given is not the one that was used",
};
const accountOf = (user) => grouped("principals", "user").get(user)?.[0];
const secretSaid = (secret, row) =>
  SECRETS[secret === "right" && row?.mechanisms.join() === "kerberos" ? "ticket" : secret] ?? "claimed, not proven";

function claimSaid(user) {
  const row = accountOf(user);
  const right = row?.right && row.right === row.contexts;
  return secretSaid(row?.wrong ? "wrong" : right ? "right" : null, row);
}

const isOfHost = (row, host) => row.client === host || row.server === host || row.opened_for === host;
const isOfUser = (row, user) => row.user === user || row.opened_for_user === user;

function isOfQueue(row, names, server) {
  return (
    names.has(row.queue) &&
    (!server || row.server === server || Boolean(queueOf(row.queue, row.server)?.hosts.includes(server)))
  );
}

function page(title, intro, ...content) {
  const heading = el("h1", { tabindex: "-1" }, title);
  return [
    el("header", {}, heading, intro ? el("p", {}, typeof intro === "string" ? prose(intro) : intro) : ""),
    ...content,
  ];
}

const part = (title, ...content) => el("section", {}, el("h2", {}, title), ...content);
const listed = (items, most = 4) => [
  joined(items.slice(0, most), (item) => wire(item)),
  items.length > most ? ` and ${number(items.length - most)} more` : "",
];
const timelineLink = (query) => el("p", {}, linkWith("Show on the timeline", "timeline", query));
