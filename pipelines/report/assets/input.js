function undecidedView() {
  const { undecided } = overview();
  const rows = undecided.map((one, place) => ({ place, ...one }));
  const columns = [
    {
      title: "Why",
      wide: true,
      cell: (row) => [row.said, el("br"), el("span", { class: "soft mono small" }, row.reason)],
      sort: (row) => row.said,
    },
    numberColumn("How often", "count"),
    {
      title: "Questions",
      wide: true,
      cell: (row) => [
        joined(
          row.rules.slice(0, 12),
          ([rule, count]) => [questionLink(rule), el("span", { class: "soft" }, ` (${number(count)})`)],
          () => el("br"),
        ),
        row.rules.length > 12 ? el("div", { class: "soft" }, `and ${plural(row.rules.length - 12, "question")} more`) : "",
      ],
    },
  ];
  return page(
    "Not decided",
    "Where the capture does not show enough, a rule says so instead of guessing. Nothing here says that something happened: each line is a question that stays open.",
    listing({ id: "undecided", rows, columns, empty: "Every rule could be decided wherever it applied." }).element,
  );
}

function qualityView() {
  const { quality } = overview();
  if (!quality) return page("Quality", "The quality gate was not run on these tables: `mqtrail check` runs it.");
  if (quality.damaged) return page("Quality", "quality.json cannot be read: `mqtrail check` writes it again.");
  const failures = quality.failures.map((one, place) => ({ place, ...one }));
  const failed = [
    textColumn("Table", "table"),
    textColumn("What should hold", "what"),
    numberColumn("Rows that break it", "unexpected"),
    { title: "For example", wide: true, cell: (row) => joined(row.examples, wire, () => el("br")) },
  ];
  const suites = quality.suites.map((one, place) => ({ place, ...one }));
  const columns = [
    textColumn("Suite", "suite"),
    numberColumn("Rows", "rows"),
    numberColumn("Expectations", "expectations"),
    numberColumn("Failed", "failed"),
  ];
  return page(
    "Quality",
    [
      quality.success ? el("span", { class: "badge good" }, "passed") : el("span", { class: "badge high" }, "failed"),
      ` ${plural(quality.expectations - quality.failed, "expectation")} of the tables kept, ${number(quality.failed)} not.`,
    ],
    failures.length ? part("Failures", listing({ id: "failures", rows: failures, columns: failed }).element) : "",
    part(
      "Suites",
      listing({ id: "suites", rows: suites, columns, sorted: "Rows down", search: (row) => row.suite }).element,
    ),
  );
}

const CAPTURE_COLUMNS = [
  { title: "File", wide: true, cell: (row) => wire(row.path), sort: (row) => row.path },
  {
    title: "State",
    cell: (row) => el("span", { class: `badge ${row.state === "complete" ? "good" : "high"}` }, row.state),
    sort: (row) => row.state,
  },
  numberColumn("Packets", "packets"),
  sizeColumn("Size", "bytes"),
  timeColumn("first_ts", "First packet"),
  timeColumn("last_ts", "Last packet"),
  {
    title: "Format",
    cell: (row) => [
      row.format,
      row.compression && row.compression !== "none" ? `, ${row.compression}` : "",
      row.duplicate_of ? [", same as ", wire(row.duplicate_of)] : "",
    ],
    sort: (row) => row.format,
  },
  { title: "SHA-256", name: true, cell: (row) => el("span", { class: "mono small" }, wire(row.capture_id)) },
];

function damageView() {
  const { codes, accounting } = overview();
  const gaps = [
    timeColumn("first_ts", "Began"),
    {
      title: "Connection",
      cell: (row) => [hostLink(row.client), `:${row.client_port} \u2192 `, hostLink(row.server), `:${row.server_port}`],
      sort: (row) => row.client,
    },
    sizeColumn("Missing", "missed_bytes"),
    numberColumn("Contradictions", "conflicts"),
    {
      title: "Began before the capture",
      cell: (row) => (row.starts_midstream ? "yes" : ""),
      sort: (row) => row.starts_midstream,
    },
    textColumn("State", "conn_state"),
    { title: "Wireshark", cell: (row) => copyButton(connectionFilter(row)) },
  ];
  const issues = [
    textColumn("Code", "code"),
    { title: "What", wide: true, cell: (row) => wire(row.detail), sort: (row) => row.detail },
    { title: "File", cell: (row) => (row.path ? wire(fileName(row.path)) : ""), sort: (row) => row.path },
    {
      title: "Frame",
      number: true,
      cell: (row) => (row.frame === null ? "" : number(row.frame)),
      sort: (row) => row.frame,
    },
    {
      title: "Offset",
      number: true,
      cell: (row) => (row.offset === null ? "" : number(row.offset)),
      sort: (row) => row.offset,
    },
  ];
  const kinds = [
    textColumn("Code", "code"),
    numberColumn("How often", "count"),
    { title: "Meaning", wide: true, cell: (row) => prose(row.meaning) },
  ];
  const stages = [
    textColumn("Stage", "stage"),
    textColumn("Counter", "counter"),
    numberColumn("Value", "value"),
    { title: "Meaning", wide: true, cell: (row) => prose(row.meaning) },
  ];
  const damaged = rowsOf("captures").filter((row) => row.state !== "complete");
  const numbered = (rows) => rows.map((row, place) => ({ place, ...row }));
  return page(
    "Damage and missing bytes",
    "What the inputs lack, and what became of everything that was read.",
    part(
      "Damaged captures",
      listing({ id: "captures", rows: damaged, columns: CAPTURE_COLUMNS, empty: "None: every capture is whole." })
        .element,
    ),
    part(
      "Connections with gaps",
      listing({
        id: "gaps",
        rows: rowsOf("gaps"),
        columns: gaps,
        said: embedded("gaps").said,
        empty: "None: no bytes of the kept connections are missing.",
      }).element,
    ),
    part(
      "What could not be read",
      codes.length
        ? listing({ id: "codes", rows: numbered(codes), columns: kinds }).element
        : el("p", { class: "soft" }, "Nothing: everything was read as it should be."),
      codes.length
        ? listing({
            id: "issues",
            rows: rowsOf("issues"),
            columns: issues,
            search: (row) => [row.code, row.detail, row.path].join(" "),
            said: embedded("issues").said,
          }).element
        : "",
    ),
    part(
      "Accounting",
      el("p", { class: "soft" }, prose("In each stage, `in` is the sum of all the others.")),
      listing({ id: "accounting", rows: numbered(accounting), columns: stages, page: 100 }).element,
    ),
  );
}

function provenanceView() {
  const { manifest, version } = overview();
  const parameters = Object.entries(manifest.parameters ?? {}).flatMap(([name, value]) =>
    value && typeof value === "object" ? Object.entries(value) : [[name, value]],
  );
  return page(
    "Provenance",
    "What this report was made from. run.json, beside it, has the hash of every table; `mqtrail verify` checks them.",
    facts([
      ["Case", wire(manifest.case)],
      ["Tables by", `mqtrail ${manifest.version ?? "of unknown version"}`],
      ["Report by", `mqtrail ${version}`],
      ["Run of the dataset", manifest.run ? number(manifest.run) : ""],
      ["Pruned before", manifest.pruned_before],
    ]),
    part(
      "Captures",
      listing({
        id: "captures",
        rows: rowsOf("captures"),
        columns: CAPTURE_COLUMNS,
        said: embedded("captures").said,
        search: rowsOf("captures").length > 10 ? (row) => `${row.path} ${row.capture_id}` : null,
      }).element,
    ),
    part("Parameters", facts(parameters.map(([name, value]) => [words(name), String(value)]))),
  );
}
