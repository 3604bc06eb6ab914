const LEVELS = ["informational", "low", "medium", "high", "critical"];
const KINDS = {
  finding: "Other findings",
  purge: "Purges",
  admin: "Administration",
  move: "Moves",
  read: "Reads",
  sent: "Sent",
  query: "Inquiries",
};
const KIND = {
  finding: "Finding",
  purge: "Purge",
  admin: "Administration",
  move: "Move",
  read: "Read",
  sent: "Sent",
  query: "Inquiry",
};
const OUTCOMES = {
  peeked: "peeked at, stays in the queue",
  acked: "removed",
  nacked: "read and put back",
  cancelled: "cancelled by the client",
  timed_out: "no message came in time",
  failed: "refused",
  rundown: "read, cut off, goes back",
  unfinished: "end not seen",
};
const STATES = {
  closed: "closed by the client",
  rundown: "ended by a disconnect",
  open_at_end: "open when the capture ended",
  open_not_seen: "opened before the capture, or out of sight",
};
const VERDICTS = { violation: "Violation", detection: "Detection" };

const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
const number = (value) => (value ?? 0).toLocaleString("en-US");

function times(count) {
  return count === 1 ? "once" : count === 2 ? "twice" : `${number(count)} times`;
}

function size(bytes) {
  const units = ["kB", "MB", "GB", "TB"];
  if (bytes < 1000) return plural(bytes ?? 0, "byte");
  let value = bytes / 1000;
  let step = 0;
  while (value >= 999.95 && step < units.length - 1) [value, step] = [value / 1000, step + 1];
  return `${value.toFixed(1)} ${units[step]}`;
}

// Times are microseconds since 1970, which a number holds exactly until the year 2255; always UTC.
function moment(us) {
  if (us === null || us === undefined) return "";
  const text = new Date(Math.floor(us / 1000)).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}.${String(((us % 1e6) + 1e6) % 1e6).padStart(6, "0")}`;
}

function duration(us) {
  if (us < 1000) return `${us} \u00b5s`;
  if (us < 1e6) return `${(us / 1000).toFixed(us < 1e4 ? 2 : 1)} ms`;
  if (us < 6e7) return `${(us / 1e6).toFixed(us < 1e7 ? 2 : 1)} s`;
  if (us < 36e8) return `${Math.floor(us / 6e7)} min ${Math.floor((us % 6e7) / 1e6)} s`;
  if (us < 2 * 864e8) return `${Math.floor(us / 36e8)} h ${Math.floor((us % 36e8) / 6e7)} min`;
  return `${(us / 864e8).toFixed(1)} days`;
}

// What a reader would not see, or what would turn the writing around, is spelled out.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const spelled = (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`;
const visible = (text) => String(text).replace(UNSEEN, spelled);

function ranges(frames) {
  const found = [];
  for (const frame of [...new Set(frames)].sort((a, b) => a - b)) {
    const last = found[found.length - 1];
    if (last && frame === last[1] + 1) last[1] = frame;
    else found.push([frame, frame]);
  }
  return found;
}

// Wireshark's display filters; sets with commas are read by version 3.6 and later.
function framesFilter(frames) {
  const parts = ranges(frames).map(([a, b]) => (a === b ? `${a}` : `${a}..${b}`));
  if (!parts.length) return "";
  return parts.length === 1 && !parts[0].includes("..")
    ? `frame.number == ${parts[0]}`
    : `frame.number in {${parts.join(", ")}}`;
}

function connectionFilter({ client, client_port: from, server, server_port: to }) {
  const hosts = [...new Set([client, server])].map((host) => `${host.includes(":") ? "ipv6" : "ip"}.addr == ${host}`);
  return [...hosts, `tcp.port == ${from}`, `tcp.port == ${to}`].join(" && ");
}

const framesOf = (row) => [...(row.request_frames ?? []), ...(row.response_frames ?? [])];
const fileName = (path) => path.split("/").pop() || path;
const are = (count) => (count === 1 ? "is" : "are");
const words = (name) => name.replaceAll("_", " ");
const reasonSaid = (reason) => overview().reasons[reason] ?? reason;
