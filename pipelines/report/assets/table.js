const PAGE_ROWS = 50;

// columns: {title, cell(row), sort(row), number, time, wide}. The table shows one page of the rows; all are sorted.
// `search(row)` gives the text that the search field looks in.
function listing({
  id,
  rows,
  columns,
  search = null,
  said = "",
  page = PAGE_ROWS,
  sorted = null,
  empty = "Nothing.",
  more = [],
}) {
  const state = { rows };
  const box = el("div", { class: "listing" });
  const count = el("p", { class: "pager", role: "status" });
  const names = { q: `${id}-q`, sort: `${id}-sort`, page: `${id}-page` };

  function shown() {
    const wanted = chosenOf(names.q).toLowerCase();
    return search && wanted ? state.rows.filter((row) => holds(search(row), wanted)) : state.rows;
  }

  function ordered(found) {
    const [name, way] = (chosenOf(names.sort) || sorted || "").split(" ");
    const column = columns.find((one) => one.title === name && one.sort);
    if (!column) return found;
    const sign = way === "down" ? -1 : 1;
    return found
      .map((row) => [column.sort(row), row])
      .sort(([a, first], [b, second]) => sign * compared(a, b) || first.place - second.place)
      .map(([, row]) => row);
  }

  function heading(column) {
    const [name, way] = (chosenOf(names.sort) || sorted || "").split(" ");
    const now = name === column.title ? (way === "down" ? "descending" : "ascending") : null;
    const kind = column.number ? "number" : null;
    if (!column.sort) return el("th", { scope: "col", class: kind }, column.title);
    const button = el("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      const down = now ? now === "ascending" : Boolean(column.number);
      choose({ [names.sort]: `${column.title} ${down ? "down" : "up"}`, [names.page]: null });
      draw();
      box.querySelector(`th[data-column="${CSS.escape(column.title)}"] button`)?.focus();
    });
    return el("th", { scope: "col", class: kind, "aria-sort": now, "data-column": column.title }, button);
  }

  function draw() {
    const found = ordered(shown());
    const pages = Math.max(1, Math.ceil(found.length / page));
    const at = Math.min(pages, Math.max(1, Number(chosenOf(names.page)) || 1));
    const part = found.slice((at - 1) * page, at * page);
    const worth = columns.filter((column) => !column.rare || state.rows.some(column.rare));
    const body = part.map((row) =>
      el(
        "tr",
        {},
        worth.map((column) => cell(column, row)),
      ),
    );
    const table = el("table", {}, el("thead", {}, el("tr", {}, worth.map(heading))), el("tbody", {}, body));
    count.replaceChildren(...(state.rows.length ? counted(found.length, at, pages) : []).map(node));
    box.replaceChildren(
      found.length
        ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `list of ${id}` }, table)
        : el("p", { class: "soft" }, empty),
    );
  }

  function counted(length, at, pages) {
    const all = length === state.rows.length ? "" : ` of ${number(state.rows.length)}`;
    const lines = `${number(length)}${all} ${length === 1 ? "line" : "lines"}`;
    if (pages === 1) return [lines];
    const turn = (to, text) =>
      el(
        "button",
        {
          type: "button",
          disabled: to < 1 || to > pages,
          "data-turn": text,
          onclick: () => {
            choose({ [names.page]: to });
            draw();
            count.querySelector(`[data-turn="${text}"]:not(:disabled)`)?.focus();
          },
        },
        text,
      );
    return [turn(at - 1, "Back"), turn(at + 1, "Next"), ` Page ${number(at)} of ${number(pages)}, ${lines}`];
  }

  draw();
  const searching = search
    ? textFilter(names.q, "Search", () => {
        choose({ [names.page]: null });
        draw();
      })
    : "";
  const filters = search || more.length ? el("div", { class: "filters" }, searching, more) : "";
  const element = el("div", {}, said ? el("p", { class: "note" }, said) : "", filters, count, box);
  return {
    element,
    show(rowsNow) {
      state.rows = rowsNow;
      draw();
    },
  };
}

function cell(column, row) {
  const content = column.cell(row);
  const kind = [
    column.number && "number",
    column.time && "time",
    column.wide && "wide",
    column.tight && "tight",
    column.snug && "snug",
    column.name && "name",
    column.evidence && "evidence",
    column.number && (content === "0" || content === "") && "zero",
  ];
  return el("td", { class: kind.filter(Boolean).join(" ") || null }, content);
}

function compared(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
