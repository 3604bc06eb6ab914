const HIGH = 40;

// Hosts from left to right: who only asks, who does both, who only answers. A host that asks itself stands twice.
function lanesOfCalls(calls) {
  const alone = calls.some((call) => call.client === call.server);
  const asks = new Set(calls.map((call) => call.client));
  const answers = new Set(calls.map((call) => call.server));
  if (alone)
    return [
      ...[...asks].map((host) => ({ host, role: "client" })),
      ...[...answers].map((host) => ({ host, role: "server" })),
    ];
  const both = [...asks].filter((host) => answers.has(host));
  return [
    ...[...asks].filter((host) => !answers.has(host)).map((host) => ({ host, role: "client" })),
    ...both.map((host) => ({ host, role: "" })),
    ...[...answers].filter((host) => !asks.has(host)).map((host) => ({ host, role: "server" })),
  ];
}

function laneAt(lanes, host, role) {
  const place = lanes.findIndex((lane) => lane.host === host && (!lane.role || lane.role === role));
  return `${(((place < 0 ? 0 : place) + 0.5) / lanes.length) * 100}%`;
}

function ladder(session, linked) {
  const calls = linked.flatMap((one) => callsOf(one.session_uid)).sort((a, b) => a.ts - b.ts || a.place - b.place);
  if (!calls.length) {
    return [
      el(
        "p",
        { class: "note" },
        "The calls of this session are not in the report, which tells those of the most telling sessions. " +
          "They are in the table calls, and this filter shows them in Wireshark:",
      ),
      filterLine("", connectionFilter(session)),
    ];
  }
  const lanes = lanesOfCalls(calls);
  const seen = new Set();
  const once = calls.filter((call) => !seen.has(call.call_uid) && seen.add(call.call_uid));
  const rows = [];
  const gaps = linked.filter((one) => one.calls_left_out).sort((a, b) => a.left_out_after - b.left_out_after);
  const holes = holesOf(linked);
  let before = null;
  for (const call of once) {
    while (holes.length && call.ts > holes[0].ts) rows.push(holeRow(holes.shift()));
    while (gaps.length && call.ts > gaps[0].left_out_after) rows.push(gapRow(gaps.shift()));
    rows.push(callRow(call, lanes, before, call.session_uid === session.session_uid));
    before = call.ts;
  }
  rows.push(...holes.map(holeRow), ...gaps.map(gapRow));
  const roles = { client: "client", server: "server", "": "client and server" };
  const heads = el(
    "span",
    { class: "lane-heads" },
    lanes.map((lane) => el("span", {}, lane.host, el("small", {}, roles[lane.role]))),
  );
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "Time (UTC)"),
    el("th", { scope: "col", class: "lanes" }, heads),
    el("th", { scope: "col" }, "Result"),
    el("th", { scope: "col" }, "Frames"),
  );
  return el(
    "div",
    { class: "ladder", tabindex: "0", role: "region", "aria-label": "calls" },
    el("table", {}, el("thead", {}, head), el("tbody", {}, rows)),
  );
}

function callRow(call, lanes, before, own) {
  const failed = /ERROR|fault|^0x[c8]/i.test(call.result ?? "") || call.outcome === "faulted";
  const time = el(
    "td",
    { class: "time" },
    moment(call.ts).slice(11),
    el("br"),
    el(
      "span",
      { class: "soft small" },
      before === null ? moment(call.ts).slice(0, 10) : `+ ${duration(call.ts - before)}`,
    ),
  );
  const said = `${call.client} calls ${call.operation} of ${call.server}`;
  return el(
    "tr",
    { class: [failed && "failed", !own && "other"].filter(Boolean).join(" ") || null },
    time,
    lanesCell(lanes, el("span", { class: "hidden" }, said), arrows(call, lanes)),
    el("td", { class: "result" }, result(call, failed)),
    el("td", {}, framesCell(call)),
  );
}

// Lifelines go through rows of any height, so they are the background of their cells.
function lanesCell(lanes, ...content) {
  const found = el("td", { class: "lanes" }, content);
  found.style.backgroundImage = lanes.map(() => "linear-gradient(var(--line-strong), var(--line-strong))").join(", ");
  found.style.backgroundPosition = lanes.map((_, place) => `${((place + 0.5) / lanes.length) * 100}% 0`).join(", ");
  return found;
}

function result(call, failed) {
  const unanswered = !["answered", "faulted", "maybe"].includes(call.outcome);
  const answer = call.result ?? (unanswered ? "" : "answered");
  const line = [
    el("span", { class: failed ? "bad" : null }, answer),
    unanswered ? el("span", { class: "doubt" }, words(call.outcome)) : "",
    call.rtt_us !== null && call.rtt_us >= 0 ? el("span", { class: "soft" }, ` after ${duration(call.rtt_us)}`) : "",
    call.worst >= 0 ? [" ", el("span", { title: "worst finding about this call" }, badge(LEVELS[call.worst]))] : "",
  ];
  const message = call.label || (call.message_uid ? "message" : "");
  const named = message
    ? [" ", call.message_uid ? link(wire(message), "message", call.message_uid) : wire(message)]
    : "";
  const note = call.note
    ? [
        el("br"),
        OUTCOMES[call.note] ?? wire(call.note),
        named,
        call.bytes ? el("span", { class: "soft" }, ` ${size(call.bytes)}`) : "",
      ]
    : "";
  const sure = [
    call.doubt ? [el("br"), doubtMark(call.doubt)] : "",
    call.inferred ? [el("br"), el("span", { class: "doubt" }, `interface inferred: ${words(call.inferred)}`)] : "",
  ];
  return [line, note, sure];
}

function arrows(call, lanes) {
  const [from, to] = [laneAt(lanes, call.client, "client"), laneAt(lanes, call.server, "server")];
  const right = parseFloat(to) >= parseFloat(from);
  const answered = (call.response_frames ?? []).length > 0;
  const asked = (call.request_frames ?? []).length > 0;
  const picture = svg("svg", { "aria-hidden": "true", height: HIGH });
  const middle = `${(parseFloat(from) + parseFloat(to)) / 2}%`;
  picture.append(
    svg("line", { class: `arrow${asked ? "" : " missing"}`, x1: from, x2: to, y1: 21, y2: 21 }),
    tip(to, 21, right, "head"),
  );
  if (answered)
    picture.append(
      svg("line", { class: "arrow back", x1: to, x2: from, y1: 32, y2: 32 }),
      tip(from, 32, !right, "head back"),
    );
  picture.append(svg("text", { x: middle, y: 15 }, call.operation));
  return picture;
}

const tip = (x, y, right, kind) =>
  svg(
    "svg",
    { x, y, overflow: "visible", height: 1, width: 1 },
    svg("path", { class: kind, d: right ? "M0 0l-7-3.5v7z" : "M0 0l7-3.5v7z" }),
  );

// Sessions of one connection lack the same.
function holesOf(sessions) {
  const found = new Map();
  for (const one of sessions.flatMap((session) => grouped("holes", "session_uid").get(session.session_uid) ?? []))
    found.set([one.ts, one.said, one.response_frames].join(), one);
  return [...found.values()].sort((a, b) => a.ts - b.ts || a.place - b.place);
}

function holeRow(hole) {
  const shown = framesOf(hole).length ? framesCell(hole) : "";
  return el("tr", { class: "gap" }, el("td", { colspan: "3" }, hole.said), el("td", {}, shown));
}

function gapRow(session) {
  return el(
    "tr",
    { class: "gap" },
    el(
      "td",
      { colspan: "4" },
      `${plural(session.calls_left_out, "call")} from here on ${are(session.calls_left_out)} left out; all are in the tables reads and calls.`,
    ),
  );
}
