const HOST_COLUMNS = [
  { title: "Address", cell: (row) => hostLink(row.address), sort: (row) => row.address },
  {
    title: "Names",
    snug: true,
    cell: (row) => listed([...new Set(row.names.map(([name]) => name))]),
    sort: (row) => row.names[0]?.[0],
  },
  { title: "Roles", wide: true, cell: (row) => row.roles.map(words).join(", "), sort: (row) => row.roles.join(" ") },
  { title: "Versions", cell: (row) => listed(row.versions) },
  spanColumn,
  numberColumn("Sessions of its own", "sessions"),
  numberColumn("Sessions served", "served"),
  numberColumn("Removed", "removed"),
  purgedColumn,
  changedColumn,
];

function hostsView() {
  return page(
    "Hosts",
    "What the traffic proves of each address.",
    listing({
      id: "hosts",
      rows: rowsOf("hosts"),
      columns: HOST_COLUMNS,
      search: (row) => [row.address, ...row.names.flat(), ...row.roles, ...row.versions].join(" "),
      said: embedded("hosts").said,
    }).element,
  );
}

function hostView(host) {
  const row = grouped("hosts", "address").get(host)?.[0];
  const of = (name) => rowsOf(name).filter((one) => isOfHost(one, host));
  const users = rowsOf("principals").filter((one) => one.hosts.includes(host));
  return page(
    ["Host ", host],
    row ? row.roles.map(words).join(", ") : "",
    facts([
      [
        "Computer names",
        row && joined(row.names, ([name, by]) => [wire(name), el("span", { class: "soft" }, ` (${words(by)})`)]),
      ],
      ["Queue managers", row && joined(row.queue_managers, (one) => el("span", { class: "mono" }, one))],
      ["Versions", row && listed(row.versions)],
      ["Serves", row?.serves.join(", ")],
      ["Calls", row?.called?.join(", ")],
      ["Accounts used from it", joined(users, (one) => userLink(one.user))],
      ["Seen", row ? `${moment(row.first)} to ${moment(row.last)} UTC` : ""],
    ]),
    timelineLink({ host }),
    part("Queues touched, by it and on it", touchList("who", of("touches"))),
    part("Acts", actList("acts", of("acts"))),
    part("Sessions", sessionList("sessions", of("sessions"))),
    part("Findings", findingList("findings", of("findings"))),
    questionsPart(of("questions")),
  );
}

const USER_COLUMNS = [
  { title: "Account", snug: true, cell: (row) => userLink(row.user), sort: (row) => row.user },
  {
    title: "From",
    snug: true,
    cell: (row) => [
      joined(row.hosts.slice(0, 4), hostLink),
      row.hosts.length > 4 ? ` and ${number(row.hosts.length - 4)} more` : "",
      el("div", { class: "soft" }, listed(row.workstations)),
    ],
    sort: (row) => row.hosts[0],
  },
  {
    title: "By",
    snug: true,
    cell: (row) => [
      listed(row.mechanisms),
      row.right ? el("div", {}, el("span", { class: "badge good" }, "secret right")) : "",
      row.wrong ? el("div", {}, el("span", { class: "badge medium" }, "secret wrong")) : "",
    ],
    sort: (row) => row.right - row.wrong,
  },
  spanColumn,
  {
    title: "Let in",
    number: true,
    cell: (row) => [
      `${number(row.accepted)} of ${number(row.contexts)}`,
      row.refused ? el("div", { class: "bad" }, `${number(row.refused)} refused`) : "",
    ],
    sort: (row) => row.accepted,
  },
  numberColumn("Sessions", "sessions"),
  purgedColumn,
  changedColumn,
  numberColumn("Removed", "removed"),
  sizeColumn("Disclosed", "bytes"),
  numberColumn("Asked", "inspected"),
];

function usersView() {
  return page(
    "Accounts",
    "Names that clients claimed when they authenticated; a capture alone cannot prove them. Secret right: the secret that was given fits the signatures, so that the client knew it. What was done for an account by another, such as its machine's, counts for both.",
    listing({
      id: "users",
      rows: rowsOf("principals"),
      columns: USER_COLUMNS,
      search: (row) => [row.user, ...row.hosts, ...row.workstations].join(" "),
      said: embedded("principals").said,
      empty: "No account name is in the captures.",
    }).element,
  );
}

function userView(user) {
  const row =
    grouped("principals", "user").get(user)?.[0] ?? rowsOf("principals").find((one) => one.user.endsWith(`\\${user}`));
  const of = (name) => rowsOf(name).filter((one) => isOfUser(one, row?.user ?? user) || isOfUser(one, user));
  return page(
    ["Account ", wire(row?.user ?? user)],
    `This name is ${claimSaid(row?.user ?? user)}.`,
    facts([
      ["Used from", row && joined(row.hosts, hostLink)],
      ["Workstations", row && listed(row.workstations)],
      ["Mechanisms", row && listed(row.mechanisms)],
      [
        "Secret given",
        row && (row.right || row.wrong)
          ? `right in ${number(row.right)}, wrong in ${number(row.wrong)} of ${plural(row.contexts, "security context")}`
          : "",
      ],
      ["Seen", row ? `${moment(row.first)} to ${moment(row.last)} UTC` : ""],
    ]),
    timelineLink({ user: row?.user ?? user }),
    part("Queues touched", touchList("who", of("touches"))),
    part("Acts", actList("acts", of("acts"))),
    part("Sessions", sessionList("sessions", of("sessions"))),
    part("Findings", findingList("findings", of("findings"))),
    questionsPart(of("questions")),
  );
}
