function findingsView() {
  const { total } = embedded("findings");
  const box = el("div", { class: "rules" });
  const count = el("p", { class: "soft", role: "status" });
  const rules = embedded("rules").filter((rule) => rule.violation || rule.detection);

  function draw() {
    const [level, verdict, text] = ["level", "verdict", "text"].map((name) => chosenOf(name).toLowerCase());
    const found = rules.filter(
      (rule) =>
        (!level || rule.level === level) &&
        (!verdict || rule[verdict]) &&
        (!text || holds(`${rule.title} ${rule.rule_id} ${rule.spec} ${rule.attack}`, text)),
    );
    const parts = [...LEVELS].reverse().flatMap((one) => {
      const here = found.filter((rule) => rule.level === one);
      return here.length ? [el("h2", {}, `${one[0].toUpperCase()}${one.slice(1)}`), here.map(ruleCard)] : [];
    });
    box.replaceChildren(...parts.flat());
    const findings = found.reduce((sum, rule) => sum + rule.violation + rule.detection, 0);
    count.replaceChildren(`${plural(findings, "finding")} of ${plural(found.length, "rule")}`);
  }

  const filters = el(
    "div",
    { class: "filters" },
    selectFilter("level", "Level", [["", "all"], ...[...LEVELS].reverse().map((level) => [level, level])], draw),
    selectFilter(
      "verdict",
      "Verdict",
      [
        ["", "all"],
        ["violation", "violations"],
        ["detection", "detections"],
      ],
      draw,
    ),
    textFilter("text", "Search", draw),
  );
  draw();
  return page(
    "Findings",
    "A violation is a rule of the specification that was broken, proven by the packets. A detection accuses nobody: it is something an investigator asks for.",
    embedded("findings").said ? el("p", { class: "note" }, embedded("findings").said) : "",
    total ? filters : "",
    count,
    box,
  );
}

function verdictSaid(rule) {
  const said = [];
  if (rule.violation) said.push(`broken ${times(rule.violation)} by the ${rule.party}`);
  if (rule.detection) said.push(`detected ${times(rule.detection)}`);
  if (rule.not_decidable) said.push(`not decidable ${times(rule.not_decidable)}`);
  if (rule.pass) said.push(`kept ${times(rule.pass)}`);
  return said.join(", ");
}

const QUEUES_ON_CARD = 3;

// Which queues, and for whom they were opened by somebody else.
function whereFound(rule) {
  const rows = (grouped("findings", "rule_id").get(rule.rule_id) ?? []).filter((row) => row.queue);
  const places = new Map(rows.map((row) => [`${row.server} ${row.queue} ${row.opened_for_user}`, row]));
  const more = places.size - QUEUES_ON_CARD;
  const told = joined([...places.values()].slice(0, QUEUES_ON_CARD), (row) => [
    queueLink(row.queue, row.server),
    row.opened_for_user ? [el("span", { class: "soft" }, " for "), userLink(row.opened_for_user)] : "",
  ]);
  return places.size ? el("p", { class: "small" }, told, more > 0 ? ` and ${number(more)} more` : "") : "";
}

function ruleCard(rule) {
  return el(
    "article",
    {},
    badge(rule.level),
    el("strong", {}, link(rule.title, "rule", rule.rule_id)),
    el("span", { class: "times soft" }, times(rule.violation + rule.detection)),
    whereFound(rule),
    el(
      "p",
      { class: "soft small" },
      `${rule.violation ? "Violation" : "Detection"}, [${rule.spec}], `,
      el("span", { class: "mono" }, rule.rule_id),
    ),
  );
}

const often = (row) => (row.count > 1 ? ` \u00d7 ${number(row.count)}` : "");
const verdictCell = (row) => el("span", { class: "soft" }, VERDICTS[row.verdict], often(row));
const FINDING_COLUMNS = [
  timeColumn(),
  { title: "Verdict", cell: verdictCell, sort: (row) => row.verdict },
  {
    title: "Who",
    tight: true,
    cell: (row) => [fromTo(row), el("span", { class: "soft" }, `:${row.server_port}`)],
    sort: (row) => row.client,
  },
  {
    title: "Queue",
    name: true,
    cell: queueCell,
    sort: (row) => row.queue,
    rare: (row) => row.queue,
  },
  {
    title: "Evidence",
    evidence: true,
    cell: (row) =>
      row.values.length
        ? el(
            "dl",
            { class: "values" },
            row.values.map(([name, value]) => [el("dt", {}, wire(name)), el("dd", {}, wire(value))]),
          )
        : "",
  },
  { title: "Frames", cell: proofCell },
];
const RULE_COLUMN = {
  title: "Rule",
  wide: true,
  cell: (row) => [badge(row.level), " ", ruleLink(row.rule_id), el("br"), verdictCell(row)],
  sort: (row) => -LEVELS.indexOf(row.level),
};

const findingText = (row) =>
  [row.client, row.server, row.user, row.opened_for_user, ...queueNames(row), row.rule_id, ruleOf(row.rule_id)?.title, ...row.values.flat()].join(" ");

// The worst first.
const byWeight = (a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level) || a.place - b.place;

function findingList(id, found, without = "Verdict") {
  const rows = [...found].sort(byWeight);
  const columns = [FINDING_COLUMNS[0], RULE_COLUMN, ...FINDING_COLUMNS.slice(1)].filter(
    (column) => !without.includes(column.title),
  );
  return listing({ id, rows, columns, search: rows.length > 10 ? findingText : null, empty: "No finding is about it." })
    .element;
}

// What could not be decided accuses nobody: it has no level, and asks.
const QUESTION_COLUMN = {
  title: "Question",
  wide: true,
  cell: (row) => [questionLink(row.rule_id), el("span", { class: "soft" }, often(row))],
  sort: (row) => row.rule_id,
};
const QUESTION_COLUMNS = [
  timeColumn(),
  QUESTION_COLUMN,
  {
    title: "Cannot be decided",
    wide: true,
    cell: (row) => el("span", { class: "doubt" }, reasonSaid(row.reason)),
    sort: (row) => row.reason,
  },
  ...FINDING_COLUMNS.filter((column) => ["Who", "Queue", "Frames"].includes(column.title)),
];
const questionText = (row) => [findingText(row), ruleOf(row.rule_id)?.question, reasonSaid(row.reason)].join(" ");

function questionsPart(rows, columns = QUESTION_COLUMNS) {
  if (!rows.length) return "";
  const intro = "Questions that the capture leaves open. None of them says that something happened.";
  const list = listing({
    id: "questions",
    rows,
    columns,
    search: rows.length > 10 ? questionText : null,
    said: embedded("questions").said,
  });
  return part("Not decided", el("p", { class: "soft" }, intro), list.element);
}

function ruleView(id) {
  const rule = ruleOf(id);
  const rows = grouped("findings", "rule_id").get(id) ?? [];
  if (!rule) return page("No such rule", `The report knows no rule ${id}.`);
  const questions = grouped("questions", "rule_id").get(id) ?? [];
  const there = rule.violation + rule.detection;
  const told = rows.reduce((sum, row) => sum + row.count, 0);
  const left =
    told < there
      ? el(
          "p",
          { class: "note" },
          `The first ${number(told)} of ${number(there)} ${are(told)} here. All are in the table findings, where rule_id = '${id}'.`,
        )
      : "";
  const captures = new Map();
  for (const row of rows)
    if (framesOf(row).length) captures.set(row.capture_id, [...(captures.get(row.capture_id) ?? []), ...framesOf(row)]);
  const filters = [...captures]
    .slice(0, 5)
    .map(([capture, frames]) =>
      filterLine(`All frames in ${fileName(captureOf(capture)?.path ?? "the capture")}:`, framesFilter(frames)),
    );
  return page(
    there ? [badge(rule.level), " ", rule.title] : rule.question,
    verdictSaid(rule),
    facts([
      ["Rule", el("span", { class: "mono" }, rule.rule_id)],
      ["Clause", rule.spec ? `[${rule.spec.replace(" ", "] ")}` : ""],
      [rule.keyword || "Reports", rule.requirement],
      ["Kept by", rule.party === "nobody" ? "" : rule.party],
      ["ATT&CK", (rule.attack ?? []).join(", ")],
      ["Products that differ", (rule.exemptions ?? []).map((one) => el("div", {}, one))],
      ["Not decidable when", rule.needs],
    ]),
    left,
    rows.length ? part("Where", findingList("found", rows, "Rule")) : "",
    rows.length ? part("In Wireshark", ...filters) : "",
    questionsPart(
      questions,
      QUESTION_COLUMNS.filter((column) => column !== QUESTION_COLUMN),
    ),
  );
}
