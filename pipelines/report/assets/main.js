const VIEWS = {
  summary: { title: "Summary", show: summaryView },
  who: { title: "Who did what", show: whoView, count: "touches" },
  timeline: { title: "Timeline", show: timelineView, count: "events" },
  findings: {
    title: "Findings",
    show: findingsView,
    number: () => overview().findings,
  },
  sessions: { title: "Sessions", show: sessionsView, count: "sessions", gap: true },
  queues: { title: "Queues", show: queuesView, count: "queues" },
  hosts: { title: "Hosts", show: hostsView, count: "hosts" },
  users: { title: "Accounts", show: usersView, count: "principals" },
  messages: { title: "Messages", show: messagesView, count: "messages" },
  objects: { title: "COM objects", show: objectsView, count: "objects" },
  undecided: { title: "Not decided", show: undecidedView, number: () => overview().verdicts.not_decidable ?? 0, gap: true },
  damage: { title: "Damage", show: damageView, number: () => overview().codes.length },
  quality: { title: "Quality", show: qualityView },
  provenance: { title: "Provenance", show: provenanceView },
};
const DETAILS = {
  rule: { of: "findings", show: ruleView },
  session: { of: "sessions", show: sessionView },
  queue: { of: "queues", show: queueView },
  host: { of: "hosts", show: hostView },
  user: { of: "users", show: userView },
  act: { of: "timeline", show: actView },
  message: { of: "messages", show: messageView },
  object: { of: "objects", show: objectView },
};
const KEYS = [
  ["/", "search or filter"],
  ["n, p", "next and previous page"],
  [
    "g then a letter",
    "go to: s summary, w who, t timeline, f findings, e sessions, q queues, h hosts, a accounts, m messages, o objects",
  ],
  ["b", "back"],
  ["?", "this list"],
];
const GO = {
  s: "summary",
  w: "who",
  t: "timeline",
  f: "findings",
  e: "sessions",
  q: "queues",
  h: "hosts",
  a: "users",
  m: "messages",
  o: "objects",
  n: "undecided",
  d: "damage",
  p: "provenance",
};

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  root.dataset.theme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

const main = el("main", { id: "main" });
const help = el(
  "dialog",
  { "aria-label": "Keys" },
  el("h2", {}, "Keys"),
  el(
    "dl",
    { class: "facts" },
    KEYS.map(([keys, what]) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, what)]),
  ),
  el("p", { class: "soft" }, "On the timeline: + and - zoom, arrows move, 0 shows all."),
  el("form", { method: "dialog" }, el("button", {}, "Close")),
);
const scrolled = new Map();
let shown = null;
let leading = false;

function navigation() {
  const { manifest, first } = overview();
  const items = Object.entries(VIEWS).map(([name, view]) => {
    const count = view.count ? embedded(view.count).total : view.number?.();
    return el(
      "li",
      { class: view.gap ? "gap" : null },
      el(
        "a",
        { href: `#${name}`, "data-view": name },
        view.title,
        count === undefined ? "" : el("span", { class: "count" }, number(count)),
      ),
    );
  });
  return el(
    "nav",
    { class: "sections", "aria-label": "Sections" },
    el(
      "div",
      { class: "brand" },
      "mqtrail report",
      el("small", {}, manifest.case ? wire(manifest.case) : moment(first).slice(0, 10)),
    ),
    el("ul", {}, items),
    el(
      "div",
      { class: "tools" },
      el("button", { type: "button", onclick: turn, id: "theme" }, "Light or dark"),
      el("button", { type: "button", onclick: printAll, id: "print" }, "Print all"),
      el("button", { type: "button", onclick: () => help.showModal() }, "Keys ", el("kbd", {}, "?")),
    ),
  );
}

function turn() {
  dark.removeEventListener("change", follow);
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}

function show() {
  if (shown !== null) scrolled.set(shown, window.scrollY);
  shown = location.hash.split("?", 1)[0] || "#summary";
  const [name, ...rest] = place().parts;
  const view = VIEWS[name] ?? DETAILS[name] ?? VIEWS.summary;
  const current = VIEWS[name] ? name : (DETAILS[name]?.of ?? "summary");
  main.replaceChildren(
    ...view
      .show(...rest)
      .flat()
      .map(node),
  );
  const heading = main.querySelector("h1");
  document.title = `${heading.textContent} - mqtrail report`;
  for (const one of document.querySelectorAll("nav.sections a")) {
    if (one.dataset.view === current) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  window.scrollTo(0, leading ? 0 : (scrolled.get(shown) ?? 0));
  if (leading) heading.focus({ preventScroll: true });
  leading = false;
}

// One after the other, a page of each: what is left out is said there.
function printAll() {
  main.replaceChildren(...Object.values(VIEWS).map((view) => el("section", { class: "part" }, view.show())));
  addEventListener("afterprint", show, { once: true });
  window.print();
}

let going = false;
function pressed(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName ?? "");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const go = going;
  going = false;
  if (go && GO[event.key]) leadTo(`#${GO[event.key]}`);
  else if (event.key === "g") going = true;
  else if (event.key === "/") main.querySelector("input[type=search]")?.focus();
  else if (event.key === "?") help.showModal();
  else if (event.key === "b") history.back();
  else if (event.key === "n" || event.key === "p")
    main.querySelector(`[data-turn="${event.key === "n" ? "Next" : "Back"}"]`)?.click();
  else return;
  event.preventDefault();
}

function leadTo(hash) {
  leading = true;
  if (location.hash === hash) show();
  else location.hash = hash;
}

addEventListener("hashchange", show);
addEventListener("keydown", pressed);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")) leading = true;
});
document.getElementById("report").append(
  el(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (event) => {
        event.preventDefault();
        main.querySelector("h1").focus();
      },
    },
    "Skip to the content",
  ),
  navigation(),
  main,
  help,
);
show();
