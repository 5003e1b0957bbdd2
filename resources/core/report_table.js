// The table of all layers: sorted, filtered, and only as many rows in the page as can be seen.
(() => {
  const {data, layers, element} = app;
  const place = document.getElementById("rows");
  const filter = document.getElementById("filter");
  const show = document.getElementById("show");
  const kRow = 31;            // height of a row in pixels, border included
  const kAllAtOnce = 250;
  const kPrinted = 400;
  const mainKeys = ["sqnr_db", "nmse", "cosine", "max_abs", "rmse_over_scale"];

  const text = (title, width, value, definition, extra = {}) =>
      ({title, width, value, definition, unit: "", numeric: false, ...extra});
  const number = (title, unit, width, value, definition, extra = {}) =>
      ({title, unit, width, value, definition, numeric: true, ...extra});

  const whole = value => value.toLocaleString("en");

  function metricColumns(error, main) {
    return data.metrics.filter(metric => !main || mainKeys.includes(metric.key)).map((metric, k) =>
        number(metric.title, metric.unit, metric.key === "sqnr_db" ? 92 : 116, i => app.figure(error, metric.key, i),
               metric.definition, {words: value => app.figureText(metric.key, value), group: error, starts: k === 0, error: metric.key === "sqnr_db" ? error : null}));
  }

  function columnsFor(main) {
    const real = (key, title, unit, definition, extra = {}) =>
        number(title, unit, 116, i => app.real(layers[key][i]), definition, extra);
    return [
      text("Layer", 300, i => layers.name[i], "Name of the node, or of the first node of a fused pattern", {first: true}),
      number("#", "", 64, i => i + 1, "Place in the order of execution", {words: whole}),
      text("Operators", 176, i => app.sharedText(layers.ops, i), "A fused pattern is one layer"),
      text("Weights", 172, i => app.sharedText(layers.weight, i), "What the weights are quantized to"),
      text("Activations", 186, i => app.sharedText(layers.activation, i), "What the inputs are quantized to"),
      number("Parameters", "", 118, i => layers.params[i], "Elements of the constant inputs", {words: whole}),
      ...metricColumns("local", main),
      ...metricColumns("accumulated", main),
      real("clipped", "Clipped", "%", "Share of the float values outside of what the grid can represent",
           {words: app.share, group: "output", starts: true, percent: true}),
      ...(main ? [] : [
        real("observedMin", "Min", "value", "Smallest value over the calibration data", {group: "output"}),
        real("observedMax", "Max", "value", "Largest value over the calibration data", {group: "output"}),
        real("representableMin", "Grid min", "value", "Smallest number of the output's grid", {group: "output"}),
        real("representableMax", "Grid max", "value", "Largest number of the output's grid", {group: "output"}),
        real("scale", "Step", "value", "Distance of two neighbours of the grid", {group: "output"}),
      ]),
    ];
  }

  let columns = columnsFor(true);
  let order = [];
  let sorted = {title: "#", group: undefined, down: false};

  // ----- what is shown

  function shown(i, words) {
    const kind = layers.kind[i];
    const wanted = show.value;
    if (wanted === "none" && app.sqnr("accumulated", i) !== null) return false;
    if (wanted !== "all" && wanted !== "none" && kind !== wanted) return false;
    if (!words.length) return true;
    const all = [layers.name[i], app.sharedText(layers.ops, i), app.sharedText(layers.weight, i),
                 app.sharedText(layers.activation, i), layers.output[i]].join(" ").toLowerCase();
    return words.every(word => all.includes(word));
  }

  // What was not computed comes last, whichever way the column is sorted.
  function compare(a, b) {
    const blank = value => value === null || value === undefined || value === "";
    if (blank(a) || blank(b)) return blank(a) - blank(b);
    const way = typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b;
    return sorted.down ? -way : way;
  }

  function refreshOrder() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    order = [...Array(data.count).keys()].filter(i => shown(i, words));
    const column = columns.find(one => one.title === sorted.title && one.group === sorted.group) ?? columns[1];
    const keys = new Map(order.map(i => [i, column.value(i)]));
    order.sort((a, b) => compare(keys.get(a), keys.get(b)) || a - b);
    document.getElementById("count").textContent =
        `${order.length.toLocaleString("en")} of ${data.count.toLocaleString("en")} layers`;
  }

  // ----- drawing

  const classes = column => [column.numeric ? "number" : "", column.first ? "first" : "", column.starts ? "starts" : ""]
      .filter(Boolean).join(" ");

  function headCell(column) {
    const active = column.title === sorted.title && column.group === sorted.group;
    const unit = column.unit ? element("small", {}, ` ${column.unit}`) : "";
    const button = element("button", {type: "button", title: column.definition}, column.title, unit,
                           active ? (sorted.down ? " ↓" : " ↑") : "");
    button.addEventListener("click", () => {
      sorted = {title: column.title, group: column.group, down: active && !sorted.down};
      refreshOrder();
      draw();
      place.scrollTop = 0;
    });
    const cell = element("th", {class: classes(column), scope: "col"}, button);
    if (active) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    return cell;
  }

  const groupTitles = {local: "Local error", accumulated: "Accumulated error", output: "Output"};
  function groupRow() {
    const row = element("tr");
    for (let k = 0; k < columns.length;) {
      const {group, first} = columns[k];
      let span = 1;
      while (!first && k + span < columns.length && columns[k + span].group === group) ++span;
      row.append(element("th", {colSpan: span, scope: "colgroup", class: first ? "first" : group ? "starts" : ""},
                         group ? groupTitles[group] : ""));
      k += span;
    }
    return row;
  }

  function cell(column, i) {
    const value = column.value(i);
    if (column.error) return element("td", {class: classes(column)}, app.chip(column.error, i));
    if (!column.numeric) return element("td", {class: classes(column), title: value}, value);
    const all = column.percent && value !== null ? `${100 * value} %` : app.exact(value);
    return element("td", {class: classes(column), title: all}, (column.words ?? app.short)(value));
  }

  function row(i) {
    const node = element("tr", {class: i === app.state.selected ? "chosen" : ""}, ...columns.map(column => cell(column, i)));
    node.dataset.layer = i;
    return node;
  }

  const spacer = height => {
    const node = element("tr", {class: "spacer", "aria-hidden": "true"}, element("td", {colSpan: columns.length}));
    node.style.height = height + "px";
    return node;
  };

  const body = element("tbody");
  let drawn = "";
  function drawRows(force = false, limit = kAllAtOnce) {
    let [first, last] = [0, order.length];
    if (order.length > limit) {
      first = Math.max(Math.floor(place.scrollTop / kRow) - 15, 0);
      last = Math.min(first + Math.ceil((place.clientHeight || 600) / kRow) + 30, order.length);
    }
    const now = `${first}-${last}`;
    if (now === drawn && !force) return;
    drawn = now;
    const rows = order.slice(first, last).map(row);
    if (first > 0) rows.unshift(spacer(first * kRow));
    if (last < order.length) rows.push(spacer((order.length - last) * kRow));
    body.replaceChildren(...rows);
  }

  function draw() {
    const width = columns.reduce((sum, column) => sum + column.width, 0);
    const table = element("table", {},
        element("colgroup", {}, ...columns.map(column => {
          const col = element("col");
          col.style.width = column.width + "px";
          return col;
        })),
        element("thead", {}, groupRow(), element("tr", {}, ...columns.map(headCell))), body);
    table.style.width = `max(100%, ${width}px)`;
    place.replaceChildren(table);
    drawRows(true);
  }

  // ----- selection and keys

  function reveal() {
    const at = order.indexOf(app.state.selected);
    if (at < 0) return;
    const top = at * kRow;
    if (top < place.scrollTop || top > place.scrollTop + place.clientHeight - 4 * kRow) {
      place.scrollTop = top - place.clientHeight / 2;
    }
  }

  app.changed.selection.push(origin => {
    if (origin !== "table") reveal();
    drawRows(true);
  });
  body.addEventListener("click", event => {
    const node = event.target.closest("tr[data-layer]");
    if (node) app.select(Number(node.dataset.layer), "table");
  });
  place.addEventListener("keydown", event => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by || !order.length || event.target.tagName === "BUTTON") return;
    event.preventDefault();
    const at = order.indexOf(app.state.selected);
    app.select(order[Math.min(Math.max(at + by, 0), order.length - 1)], "table");
    reveal();
  });
  place.addEventListener("scroll", () => requestAnimationFrame(() => drawRows()));
  for (const [control, event] of [[filter, "input"], [show, "change"]]) {
    control.addEventListener(event, () => {
      refreshOrder();
      place.scrollTop = 0;
      drawRows(true);
    });
  }
  app.press("columns", choice => {
    columns = columnsFor(choice === "main");
    refreshOrder();
    draw();
  });
  // Paper does not scroll: as many rows as make sense on it.
  addEventListener("beforeprint", () => {
    const all = order;
    order = order.slice(0, kPrinted);
    drawRows(true, kPrinted);
    order = all;
  });
  addEventListener("afterprint", () => drawRows(true));

  refreshOrder();
  draw();
})();

// The cards of the worst layers, links to layers, and where the reader begins: at the worst one.
(() => {
  const cards = document.querySelector(".cards");
  const all = [...cards.children];

  function rank(by) {
    cards.classList.toggle("accumulated", by === "accumulated");
    const place = card => Number(card.dataset[by] || Infinity);
    cards.append(...all.slice().sort((a, b) => place(a) - place(b)));
    for (const card of all) card.querySelector(".rank").textContent = card.dataset[by];
  }

  function mark() {
    for (const card of all) card.classList.toggle("chosen", Number(card.dataset.layer) === app.state.selected);
  }

  app.press("rank", rank);
  app.changed.selection.push(mark);
  document.addEventListener("click", event => {
    const link = event.target.closest("[data-select]");
    if (!link) return;
    app.select(Number(link.dataset.select), "link");
    document.getElementById("graph").scrollIntoView();
  });
  rank("local");

  const worst = all.find(card => card.dataset.local === "1") ?? all[0];
  if (worst) app.select(Number(worst.dataset.layer), app.fitsAtOnce ? "graph" : "start");
})();
