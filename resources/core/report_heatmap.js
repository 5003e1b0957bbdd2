// Layers × metrics, samples and worst channels on a canvas. A row of pixels that covers several
// layers shows the worst of them.
(() => {
  const {data, layers} = app;
  const canvas = document.getElementById("heat");
  const readout = document.getElementById("readout");
  const heat = data.heat;
  const kHead = 46;
  const kNamed = 13;      // rows at least so high have names
  const kNames = 270;
  const kMaxHeight = 720;
  const kGap = 16;        // between groups

  // Two letters per cell, digits to the base of 64: 0 empty, 1 not quantized, 2 not computed, else
  // 3 + 40 · (dB + 20).
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const valueOf = new Map([...digits].map((letter, value) => [letter, value]));
  const codes = new Uint16Array(data.count * heat.columns);
  for (let k = 0; k < codes.length; ++k) {
    codes[k] = 64 * valueOf.get(heat.cells[2 * k]) + valueOf.get(heat.cells[2 * k + 1]);
  }
  const kTop = 3 + 40 * 102;
  const decibels = code => (code - 3) / 40 - 20;
  const worse = (a, b) => a >= 3 && b >= 3 ? Math.min(a, b) : Math.max(a, b);

  const shades = new Map();
  function shade(code) {
    if (!shades.has(code)) shades.set(code, app.css(app.colour(decibels(code))));
    return shades.get(code);
  }

  let shape = null;
  function measure() {
    const width = canvas.parentElement.clientWidth - 32;
    const row = data.count <= 36 ? 20 : data.count <= 100 ? 15 : kMaxHeight / data.count;
    const left = row >= kNamed ? kNames : 0;
    const wide = heat.groups[0].labels.length;
    const room = width - left - kGap * (heat.groups.length - 1);
    const unit = Math.min(room / (heat.columns - wide + 4 * wide), 34);
    const columns = [];
    let x = left;
    heat.groups.forEach((group, g) => {
      const w = g === 0 ? Math.max(4 * unit, 56) : unit;
      group.labels.forEach((label, k) => columns.push({x: x + k * w, width: w, group, label}));
      x += group.labels.length * w + kGap;
    });
    return {width, row, left, columns, height: Math.round(kHead + row * data.count)};
  }

  function drawHead(pen) {
    pen.textBaseline = "alphabetic";
    let at = 0;
    for (const group of heat.groups) {
      const first = shape.columns[at];
      const last = shape.columns[at + group.labels.length - 1];
      pen.textAlign = "left";
      pen.fillStyle = app.style("--ink");
      pen.font = "600 13px system-ui, sans-serif";
      pen.fillText(group.title, first.x, 14);
      const titleWidth = pen.measureText(group.title).width;
      pen.fillStyle = app.style("--quiet");
      pen.font = "12px system-ui, sans-serif";
      pen.fillText(group.note, first.x + titleWidth + 8, 14);
      if (first.width > 40) {
        pen.textAlign = "center";
        group.labels.forEach((label, k) => {
          const column = shape.columns[at + k];
          pen.fillText(label, column.x + column.width / 2, 36);
        });
      } else {
        pen.fillText(group.labels[0], first.x, 36);
        pen.textAlign = "right";
        if (last !== first) pen.fillText(group.labels[group.labels.length - 1], last.x + last.width, 36);
      }
      at += group.labels.length;
    }
  }

  function drawPattern(pen, code, x, y, width, height) {
    if (code === 0) return;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width, height);
    pen.clip();
    pen.strokeStyle = pen.fillStyle = app.style("--pattern");
    pen.globalAlpha = .7;
    if (code === 1) {
      pen.beginPath();
      for (let d = -height; d < width; d += 6) {
        pen.moveTo(x + d, y + height);
        pen.lineTo(x + d + height, y);
      }
      pen.lineWidth = 1;
      pen.stroke();
    } else {
      for (let py = y + 2; py < y + height; py += 5) {
        for (let px = x + 2; px < x + width; px += 5) pen.fillRect(px, py, 1.3, 1.3);
      }
    }
    pen.restore();
  }

  function drawCell(pen, code, column, y, height) {
    const gap = shape.row >= 6 ? 1 : 0;
    const width = column.width - (column.width > 7 ? 1 : 0);
    if (code < 3) {
      if (shape.row >= 6) drawPattern(pen, code, column.x, y, width, height - gap);
      else if (code > 0) {
        pen.fillStyle = app.style(code === 1 ? "--faint" : "--panel");
        pen.fillRect(column.x, y, width, height);
      }
      return;
    }
    pen.fillStyle = shade(code);
    pen.fillRect(column.x, y, width, height - gap);
    if (shape.row < kNamed || column.group !== heat.groups[0]) return;
    pen.fillStyle = app.textOn(app.colour(decibels(code)));
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(code >= kTop ? "equal" : decibels(code).toFixed(1), column.x + width / 2, y + (height - gap) / 2 + .5);
  }

  function fitText(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    for (let kept = text.length - 1; kept > 2; --kept) {
      const shorter = text.slice(0, Math.floor(kept / 3)) + "…" + text.slice(text.length - Math.ceil(kept * 2 / 3));
      if (pen.measureText(shorter).width <= width) return shorter;
    }
    return "…";
  }

  function drawNames(pen) {
    if (!shape.left) return;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let i = 0; i < data.count; ++i) {
      const chosen = i === app.state.selected;
      pen.font = (chosen ? "650 " : "") + (shape.row >= 18 ? "13px" : "11.5px") + " system-ui, sans-serif";
      pen.fillStyle = app.style(chosen ? "--accent" : "--ink");
      pen.fillText(fitText(pen, layers.name[i], kNames - 14), kNames - 10, kHead + (i + .5) * shape.row);
    }
  }

  function drawRows(pen) {
    if (shape.row >= 1) {
      for (let i = 0; i < data.count; ++i) {
        const [top, bottom] = [kHead + i * shape.row, kHead + (i + 1) * shape.row]
            .map(y => shape.row >= 6 ? y : Math.round(y));
        shape.columns.forEach((column, c) => drawCell(pen, codes[i * heat.columns + c], column, top, bottom - top));
      }
      return;
    }
    for (let line = 0; line < shape.height - kHead; ++line) {
      const first = Math.floor(line / shape.row);
      const last = Math.min(Math.max(Math.ceil((line + 1) / shape.row), first + 1), data.count);
      shape.columns.forEach((column, c) => {
        let code = 0;
        for (let i = first; i < last; ++i) code = worse(code, codes[i * heat.columns + c]);
        drawCell(pen, code, column, kHead + line, 1);
      });
    }
  }

  function markSelection(pen) {
    const i = app.state.selected;
    if (i < 0) return;
    const last = shape.columns[shape.columns.length - 1];
    pen.strokeStyle = app.style("--accent");
    pen.lineWidth = 2;
    pen.strokeRect(shape.left - 2, kHead + i * shape.row - 2, last.x + last.width - shape.left + 3, Math.max(shape.row, 2) + 3);
  }

  // The cells only change with the size and the theme; the selection is drawn over a copy.
  let cells = null;
  function drawAll() {
    shape = measure();
    const ratio = devicePixelRatio || 1;
    canvas.style.height = shape.height + "px";
    canvas.width = Math.round(shape.width * ratio);
    canvas.height = Math.round(shape.height * ratio);
    cells = document.createElement("canvas");
    cells.width = canvas.width;
    cells.height = canvas.height;
    const pen = cells.getContext("2d");
    pen.scale(ratio, ratio);
    drawHead(pen);
    drawRows(pen);
    refresh();
  }

  function refresh() {
    const ratio = devicePixelRatio || 1;
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(cells, 0, 0);
    pen.scale(ratio, ratio);
    drawNames(pen);
    markSelection(pen);
  }

  // The layer under the pointer; of several, the one that gives the pixel its colour.
  function hit(event) {
    const area = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top - kHead];
    if (y < 0 || y >= shape.row * data.count) return null;
    const column = shape.columns.findIndex(one => x >= one.x && x < one.x + one.width);
    let layer = Math.floor(y / shape.row);
    if (shape.row < 1) {
      const last = Math.min(Math.ceil((Math.floor(y) + 1) / shape.row), data.count);
      for (let i = Math.floor(Math.floor(y) / shape.row); i < last; ++i) {
        const [a, b] = [i, layer].map(k => codes[k * heat.columns + Math.max(column, 0)]);
        if (a !== b && worse(a, b) === a) layer = i;
      }
    }
    return {layer: Math.min(layer, data.count - 1), column};
  }

  function words({layer, column}) {
    const [where, value] = cellWords(layer, column);
    return `#${layer + 1} ${layers.name[layer]}${where}${value}`;
  }
  function cellWords(layer, column) {
    if (column < 0) return ["", ""];
    const {group, label} = shape.columns[column];
    const code = codes[layer * heat.columns + column];
    const value = code >= kTop ? "82 dB or more" : code >= 3 ? decibels(code).toFixed(1) + " dB"
        : ["nothing here", "not quantized", "not computed"][code];
    const what = group.title === "Samples" ? `sample ${label}` : group.title === "Worst channels" ? `worst channel no. ${label}` : `${label} SQNR`;
    return [` · ${what}`, `: ${value}`];
  }

  canvas.addEventListener("pointermove", event => {
    const found = hit(event);
    readout.textContent = found ? words(found) : "Point at a cell to read it.";
  });
  canvas.addEventListener("click", event => {
    const found = hit(event);
    if (found) app.select(found.layer, "heatmap");
  });
  canvas.addEventListener("keydown", event => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by || !data.count) return;
    event.preventDefault();
    app.select(Math.min(Math.max(app.state.selected + by, 0), data.count - 1), "heatmap");
  });

  document.getElementById("heatnote").textContent =
      kMaxHeight / data.count < 1 ? "A row of pixels shows the worst of the layers that it covers." : "";
  app.changed.theme.push(drawAll);
  app.changed.selection.push(refresh);
  let width = 0;
  new ResizeObserver(() => {
    if (canvas.parentElement.clientWidth === width) return;
    width = canvas.parentElement.clientWidth;
    drawAll();
  }).observe(canvas.parentElement);
  drawAll();
})();
