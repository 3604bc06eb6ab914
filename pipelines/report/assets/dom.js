// The only place that makes elements. Text becomes text nodes: nothing in it is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== "")
      .map(node),
  );
  return element;
}

function node(child) {
  return child instanceof Node ? child : document.createTextNode(visible(child));
}

const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// Text from the wire: kept apart from its surroundings, whatever direction it is written in.
const wire = (text) => (text === null || text === undefined ? "" : el("bdi", { class: "wire" }, text));
const broken = (parts) =>
  el(
    "bdi",
    { class: "wire" },
    parts.map((one, place) => [place ? el("wbr") : "", one]),
  );
// A path may go on in the next line behind its separators, a class with its next word.
const path = (text) => broken(String(text).split(/(?<=[\\=/])/));
const typeName = (text) => broken(String(text).split(/(?=[A-Z][a-z])/));

const address = (...parts) => `#${parts.map(encodeURIComponent).join("/")}`;
const link = (content, ...parts) => el("a", { href: address(...parts) }, content);
const linkWith = (content, view, query) => el("a", { href: `#${view}?${new URLSearchParams(query)}` }, content);

// Sentences come as texts and pairs of text and place.
const sentence = (parts) =>
  parts.map((part) => {
    if (typeof part === "string") return part;
    const [text, where, level] = part;
    return level ? badge(level) : el("a", { href: `#${where}` }, wire(text));
  });

const badge = (level) => (level ? el("span", { class: `badge ${LEVELS.includes(level) ? level : ""}` }, level) : "");
const kindMark = (kind) => el("span", { class: `kind of-${kind}` }, KIND[kind] ?? kind);

function copyButton(text, label = "filter") {
  const button = el(
    "button",
    { class: "copy", type: "button", title: `copy for Wireshark: ${text}`, "data-copy": text },
    label,
  );
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      // Where the clipboard is out of reach, the text is shown to be taken by hand.
      const field = el("input", { readonly: true, value: text, class: "mono", "aria-label": "filter" });
      button.replaceWith(field);
      field.select();
      return;
    }
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = label;
      button.classList.remove("done");
    }, 1500);
  });
  return button;
}

function facts(pairs) {
  const known = pairs.filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0,
  );
  return el(
    "dl",
    { class: "facts" },
    known.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

function joined(items, make, separator = () => ", ") {
  return items.map((item, place) => [place ? separator() : "", make(item)]);
}

// Our own words: what stands between backticks is a name.
const prose = (text) => text.split("`").map((piece, place) => (place % 2 ? el("code", {}, piece) : piece));
