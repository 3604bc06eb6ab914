// What is chosen stands in the address, so that a filtered view can be linked to, kept and gone back to.
function place() {
  const [path, query = ""] = location.hash.slice(1).split("?", 2);
  return { parts: path.split("/").map(decoded), query: new URLSearchParams(query) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function choose(changes) {
  const { query } = place();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", `${location.hash.split("?", 1)[0] || "#summary"}${text ? `?${text}` : ""}`);
}

function soon(action, wait = 150) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
}

const MOST_OFFERED = 400;

function textFilter(name, label, changed, offered = []) {
  const list = offered.length ? `offered-${name}` : null;
  const input = el("input", {
    type: "search",
    name,
    value: place().query.get(name) ?? "",
    list,
    autocomplete: "off",
    spellcheck: "false",
  });
  input.addEventListener(
    "input",
    soon(() => {
      choose({ [name]: input.value.trim(), page: null });
      changed();
    }),
  );
  const options = offered.slice(0, MOST_OFFERED).map((value) => el("option", { value }));
  return el("label", {}, label, input, list ? el("datalist", { id: list }, options) : "");
}

function selectFilter(name, label, options, changed) {
  const chosen = place().query.get(name) ?? "";
  const select = el(
    "select",
    { name },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)),
  );
  select.addEventListener("change", () => {
    choose({ [name]: select.value, page: null });
    changed();
  });
  return el("label", {}, label, select);
}

const chosenTime = (name) =>
  Number(chosenOf(name))
    ? moment(Number(chosenOf(name)))
        .slice(0, 19)
        .replace(" ", "T")
    : "";

// The browser's field for dates knows no time zone: what stands in it is UTC here.
function timeFilter(name, label, changed) {
  const input = el("input", { type: "datetime-local", step: "1", name, value: chosenTime(name) });
  input.addEventListener("change", () => {
    choose({ [name]: input.value ? Date.parse(`${input.value}Z`) * 1000 : null });
    changed();
  });
  return el("label", {}, label, input);
}

// Several may be pressed; none pressed means all.
function chips(name, label, options, changed) {
  const pressed = new Set((place().query.get(name) ?? "").split(",").filter(Boolean));
  const buttons = options.map(([value, text]) => {
    const on = () => !pressed.size || pressed.has(value);
    const button = el(
      "button",
      { type: "button", class: `chip of-${value}`, "aria-pressed": String(on()), value },
      text,
    );
    button.addEventListener("click", () => {
      if (pressed.has(value)) pressed.delete(value);
      else pressed.add(value);
      choose({ [name]: [...pressed].join(","), page: null });
      for (const one of buttons) one.setAttribute("aria-pressed", String(!pressed.size || pressed.has(one.value)));
      changed();
    });
    return button;
  });
  return el("fieldset", {}, el("legend", {}, label), buttons);
}

const chosenOf = (name) => place().query.get(name) ?? "";
const holds = (text, wanted) =>
  String(text ?? "")
    .toLowerCase()
    .includes(wanted);

// A value that there is means just that; any other text, all that hold it.
function fitting(name, values) {
  const wanted = chosenOf(name).toLowerCase();
  if (!wanted) return () => true;
  if (!values.some((value) => value.toLowerCase() === wanted)) return (value) => holds(value, wanted);
  return (value) => value?.toLowerCase() === wanted;
}
