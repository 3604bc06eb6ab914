// Sections are parsed when a view first asks for them: the summary shows before the rest is looked at.
const parsed = new Map();

function remembered(key, make) {
  if (!parsed.has(key)) parsed.set(key, make());
  return parsed.get(key);
}

function embedded(name) {
  return remembered(name, () => JSON.parse(document.getElementById(`data-${name}`).textContent));
}

// Columns to rows; a column of repeated texts has each text once.
function rowsOf(name) {
  return remembered(`rows ${name}`, () => {
    const { rows: count, columns } = embedded(name);
    const names = Object.keys(columns);
    const values = names.map((column) => {
      const packed = columns[column];
      return Array.isArray(packed) ? packed : packed.at.map((place) => (place < 0 ? null : packed.of[place]));
    });
    const found = new Array(count);
    for (let place = 0; place < count; place += 1) {
      const row = { place };
      for (let column = 0; column < names.length; column += 1) row[names[column]] = values[column][place];
      found[place] = row;
    }
    return found;
  });
}

function grouped(name, column) {
  return remembered(`${name} by ${column}`, () => {
    const found = new Map();
    for (const row of rowsOf(name)) {
      if (!found.has(row[column])) found.set(row[column], []);
      found.get(row[column]).push(row);
    }
    return found;
  });
}

const overview = () => embedded("overview");
const ruleOf = (id) =>
  remembered("rules by id", () => new Map(embedded("rules").map((rule) => [rule.rule_id, rule]))).get(id);
const sessionOf = (uid) => grouped("sessions", "session_uid").get(uid)?.[0];
const callsOf = (uid) => grouped("calls", "session_uid").get(uid) ?? [];
const captureOf = (id) => grouped("captures", "capture_id").get(id)?.[0];

// A queue by any of its names on a server; undefined where it is not among those shown.
function queueOf(name, server) {
  const known = remembered("queues by name", () => {
    const found = new Map();
    for (const row of rowsOf("queues")) {
      for (const one of row.names) for (const host of row.hosts) found.set(`${host} ${one}`, row);
    }
    return found;
  });
  return known.get(`${server} ${name}`);
}

const namesOf = (name, server) => new Set(queueOf(name, server)?.names ?? [name]);
