"use strict";
// What all parts of the page share: the data, words and colours, the selection, the theme.
const app = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const layers = data.layers;
  const changed = {selection: [], error: [], theme: []};
  const state = {selected: -1, error: "accumulated"};

  const real = value => value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
  const sharedText = (column, i) => column.texts[column.of[i]];
  const figure = (error, key, i) => real(layers[error][key][i]);
  const sqnr = (error, i) => figure(error, "sqnr_db", i);

  // "value", "plain" (not quantized) or "none" (not computed).
  function cellKind(error, i) {
    if (sqnr(error, i) !== null) return "value";
    return error === "local" && layers.kind[i] !== "Q" ? "plain" : "none";
  }

  const channels = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

  function colour(db) {
    const last = data.ramp.length - 1;
    const span = data.anchors[0] - data.anchors[data.anchors.length - 1];
    const place = Math.min(Math.max((data.anchors[0] - db) / span, 0), 1) * last;
    const step = Math.min(Math.floor(place), last - 1);
    const [a, b] = [channels(data.ramp[step]), channels(data.ramp[step + 1])];
    return a.map((value, k) => Math.round(value + (b[k] - value) * (place - step)));
  }

  function luminance(rgb) {
    const linear = rgb.map(value => value / 255)
        .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
    return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2];
  }

  // Black keeps the higher contrast until the background is this dark.
  const textOn = rgb => luminance(rgb) > .179 ? "#000" : "#fff";
  const css = rgb => `rgb(${rgb.join(" ")})`;

  function short(value) {
    if (value === null || value === undefined) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    const size = Math.abs(value);
    let text;
    if (size === 0) text = "0";
    else if (size >= 1e6 || size < 1e-4) text = size.toExponential(2);
    else if (size >= 1000) text = Math.round(size).toLocaleString("en");
    else text = size.toPrecision(3);
    return (value < 0 ? "−" : "") + text;
  }
  // Close to 1 the distance from it is what counts: two digits of that.
  function cosine(value) {
    if (value === null || value >= 1 || value < .9) return short(value);
    return value.toFixed(Math.min(Math.ceil(-Math.log10(1 - value)) + 1, 9));
  }
  const figureText = (key, value) => key === "cosine" ? cosine(value) : short(value);
  const exact = value => value === null || value === undefined ? "not computed"
      : Number.isFinite(value) ? String(value) : value > 0 ? "∞" : "−∞";
  const share = value => value === null ? "–"
      : value > 0 && value < 1e-4 ? "< 0.01" : (100 * value).toFixed(value < .01 ? 2 : 1);

  function element(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") node.className = value;
      else if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  function chip(error, i) {
    const kind = cellKind(error, i);
    const db = sqnr(error, i);
    if (kind !== "value") {
      const words = kind === "plain" ? "not quantized" : "not computed";
      return element("span", {class: "chip none", title: words}, "–");
    }
    const rgb = colour(db);
    const node = element("span", {class: "chip", title: exact(db) + " dB"}, short(db));
    node.style.background = css(rgb);
    node.style.color = textOn(rgb);
    return node;
  }

  const notify = (what, origin) => changed[what].forEach(listener => listener(origin));

  function select(i, origin) {
    if (i === state.selected && origin !== "link") return;
    state.selected = i;
    notify("selection", origin);
  }

  function setError(error) {
    state.error = error;
    notify("error");
  }

  // The same figures as in the data, for a tooltip.
  function describe(i) {
    const errors = ["local", "accumulated"].map(error => {
      const db = sqnr(error, i);
      const kind = cellKind(error, i);
      return `${error} ${kind === "value" ? short(db) + " dB" : kind === "plain" ? "–" : "not computed"}`;
    });
    return [sharedText(layers.ops, i), errors.join(" · ")];
  }

  const tip = document.getElementById("tip");
  function showTip(event, title, lines) {
    tip.replaceChildren(element("b", {}, title),
                        ...lines.flatMap((line, k) => k ? [document.createElement("br"), line] : [line]));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const below = event.clientY + 16;
    const y = below + box.height > innerHeight ? event.clientY - box.height - 12 : below;
    tip.style.left = Math.max(x, 4) + "px";
    tip.style.top = Math.max(y, 4) + "px";
  }
  const hideTip = () => { tip.hidden = true; };

  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function press(attribute, choose) {
    const buttons = [...document.querySelectorAll(`[data-${attribute}]`)];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", other === button);
        choose(button.dataset[attribute]);
      });
    }
  }

  return {data, layers, state, changed, real, sharedText, figure, sqnr, cellKind, colour, textOn, css,
          short, figureText, exact, share, element, chip, select, setError, describe, showTip, hideTip, style, press,
          notify};
})();

// Light or dark: as the system says until the reader chooses.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  // Storage is refused to some local files; the choice then lasts as long as the page.
  const stored = {
    get() { try { return localStorage.getItem("quantscope-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("quantscope-theme", theme); } catch { /* see above */ } },
  };
  function refresh() {
    button.textContent = current() === "dark" ? "Light" : "Dark";
    app.notify("theme");
  }
  const chosen = stored.get();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    stored.set(root.dataset.theme);
    refresh();
  });
  system.addEventListener("change", refresh);
  button.textContent = current() === "dark" ? "Light" : "Dark";
})();

// The panel beside the graph: everything that is known of the selected layer.
(() => {
  const panel = document.getElementById("inspector");
  const {data, layers, element} = app;

  function metricRows(i) {
    return data.metrics.map(metric => {
      const cells = ["local", "accumulated"].map(error => {
        if (metric.key === "sqnr_db") return element("td", {class: "number"}, app.chip(error, i));
        const value = app.figure(error, metric.key, i);
        return element("td", {class: "number", title: app.exact(value)}, app.figureText(metric.key, value));
      });
      const unit = metric.unit && metric.unit !== "value" && metric.unit !== "value²" ? ` (${metric.unit})` : "";
      return element("tr", {}, element("th", {scope: "row", title: metric.definition}, metric.title + unit), ...cells);
    });
  }

  function range(low, high) {
    if (low === null || high === null) return null;
    return element("span", {title: `${app.exact(app.real(low))} … ${app.exact(app.real(high))}`},
                   `${app.short(app.real(low))} … ${app.short(app.real(high))}`);
  }

  function facts(i) {
    const clipped = app.real(layers.clipped[i]);
    return [
      ["Weights", app.sharedText(layers.weight, i) || null],
      ["Activations", app.sharedText(layers.activation, i) || null],
      ["Parameters", layers.params[i] ? layers.params[i].toLocaleString("en") : null],
      ["Output", layers.output[i]],
      ["Values reach", range(layers.observedMin[i], layers.observedMax[i])],
      ["Grid reaches", range(layers.representableMin[i], layers.representableMax[i])],
      ["Step of the grid", layers.scale[i] === null ? null : app.short(app.real(layers.scale[i]))],
      ["Clipped", clipped === null ? null : app.share(clipped) + " %"],
    ].filter(([, value]) => value !== null && value !== "");
  }

  function status(i) {
    if (layers.kind[i] === "M") return "only moves data: shares its input's parameters";
    if (layers.kind[i] === "F") return "left in float";
    return "";
  }

  function show() {
    const i = app.state.selected;
    if (i < 0) {
      panel.replaceChildren(element("p", {class: "quiet"}, "Select a layer in the graph, the heatmap or a table."));
      return;
    }
    const head = element("thead", {}, element("tr", {}, element("th", {}, "Error"),
        element("th", {class: "number", title: "Only this layer quantized, float inputs"}, "local"),
        element("th", {class: "number", title: "Whole network quantized"}, "accumulated")));
    const list = element("dl");
    for (const [term, value] of facts(i)) list.append(element("dt", {}, term), element("dd", {}, value));
    const parts = [
      element("h3", {}, layers.name[i]),
      element("p", {class: "where"}, `#${i + 1} of ${data.count} · ${app.sharedText(layers.ops, i)}`),
    ];
    if (status(i)) parts.push(element("p", {class: "where"}, status(i)));
    const histogram = document.querySelector(`.card[data-layer="${i}"] .histogram`);
    if (histogram) parts.push(histogram.cloneNode(true));
    parts.push(element("table", {}, head, element("tbody", {}, ...metricRows(i))), list);
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
  }

  app.changed.selection.push(show);
  show();
})();
