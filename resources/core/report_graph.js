// The picture of the network: pan, zoom, colours, selection, and the strip that shows all of it.
(() => {
  const {data, layers} = app;
  const picture = data.graph;
  const svg = document.getElementById("picture");
  const minimap = document.getElementById("minimap");
  const kOpsFrom = .3;    // scale from which operator types can be read
  const kAllFrom = .68;   // and from which names and figures can
  const kMaxScale = 2.5;
  const kMaxLabels = 500;
  const kEdgesPerPath = 48;

  const make = (tag, attributes = {}) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const boxes = [];
  for (let i = 0; i < picture.kinds.length; ++i) {
    const [x, y, width, height] = picture.boxes.slice(4 * i, 4 * i + 4);
    boxes.push({x: x - width / 2, y: y - height / 2, width, height, kind: picture.kinds[i]});
  }
  const isLayer = i => i < data.count;

  // ----- drawing

  // Every bend becomes a curve that enters and leaves straight down.
  function curve(route) {
    let [x, y] = route;
    let path = `M${x} ${y}`;
    for (let k = 2; k < route.length; k += 2) {
      const [nx, ny] = [x + route[k], y + route[k + 1]];
      const middle = (y + ny) / 2;
      path += nx === x ? `V${ny}` : `C${x} ${middle} ${nx} ${middle} ${nx} ${ny}`;
      [x, y] = [nx, ny];
    }
    return path;
  }

  function patterns() {
    const defs = make("defs");
    const hatch = make("pattern", {id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse",
                                   patternTransform: "rotate(45)"});
    hatch.append(make("rect", {class: "paper", width: 8, height: 8}),
                 make("path", {class: "stripes", d: "M0 0V8"}));
    const dots = make("pattern", {id: "dots", width: 7, height: 7, patternUnits: "userSpaceOnUse"});
    dots.append(make("rect", {class: "paper", width: 7, height: 7}),
                make("circle", {class: "grains", cx: 2, cy: 2, r: 1.1}));
    defs.append(hatch, dots);
    return defs;
  }

  const view = make("g");
  const edgeGroup = make("g", {class: "edges"});
  const litGroup = make("g", {class: "lit"});
  const boxGroup = make("g", {class: "boxes"});
  const labelGroup = make("g", {class: "labels"});
  view.append(edgeGroup, litGroup, boxGroup, labelGroup);
  svg.append(patterns(), view);

  // Edges near each other share a path element: few elements, and those out of sight are skipped.
  const byHeight = picture.routes.map((route, k) => k)
      .sort((a, b) => picture.routes[a][1] - picture.routes[b][1]);
  for (let k = 0; k < byHeight.length; k += kEdgesPerPath) {
    const some = byHeight.slice(k, k + kEdgesPerPath);
    edgeGroup.append(make("path", {d: some.map(edge => curve(picture.routes[edge])).join("")}));
  }

  const edgesOf = boxes.map(() => []);
  for (let k = 0; k < picture.routes.length; ++k) {
    edgesOf[picture.edges[2 * k]].push(k);
    edgesOf[picture.edges[2 * k + 1]].push(k);
  }

  const rects = boxes.map((box, i) => {
    const rect = make("rect", {x: box.x, y: box.y, width: box.width, height: box.height,
                               rx: box.kind === "L" ? 7 : box.height / 2});
    rect.dataset.box = i;
    if (!isLayer(i)) rect.classList.add("terminal");
    boxGroup.append(rect);
    return rect;
  });

  const fills = [];
  function paint() {
    for (let i = 0; i < data.count; ++i) {
      const kind = app.cellKind(app.state.error, i);
      fills[i] = kind === "value" ? app.colour(app.sqnr(app.state.error, i)) : null;
      const fill = kind === "value" ? app.css(fills[i]) : kind === "plain" ? "url(#hatch)" : "url(#dots)";
      rects[i].setAttribute("fill", fill);
    }
    refreshLabels(true);
    drawMinimap();
  }

  // ----- labels, only where they can be read

  const shortName = name => name.includes("/") ? name.slice(name.lastIndexOf("/") + 1)
      : name.slice(name.lastIndexOf(".") + 1);
  const cut = (text, letters) => text.length <= letters ? text
      : text.slice(0, Math.ceil(letters / 2) - 1) + "…" + text.slice(text.length - Math.floor(letters / 2));

  // Where several layers end in the same word, the scope before it tells them apart.
  function nameFor(i) {
    const name = layers.name[i];
    const last = shortName(name);
    if (last.length === name.length) return name;
    const before = name.slice(0, name.length - last.length - 1);
    return before ? shortName(before) + "/" + last : last;
  }

  function label(text, x, y, className, colour, anchor = "start") {
    const node = make("text", {x, y, class: className, "text-anchor": anchor});
    if (colour) node.style.fill = colour;
    else if (className.includes("plain")) node.classList.add("halo");
    node.textContent = text;
    return node;
  }

  function layerLabels(i, box, near) {
    const fill = fills[i];
    const ink = fill ? app.textOn(fill) : null;
    const plain = fill ? "" : " plain";
    const op = app.sharedText(layers.ops, i);
    const middle = box.y + box.height / 2;
    if (box.kind === "M") {
      return near ? [label(cut(op, 26), box.x + box.width / 2, middle + 4.5, "small" + plain, ink, "middle")] : [];
    }
    if (!near) {
      const node = label(cut(op, 15), box.x + box.width / 2, middle + 8, "op" + plain, ink, "middle");
      node.style.fontSize = "23px";
      return [node];
    }
    const db = app.sqnr(app.state.error, i);
    const parts = [label(cut(op, 25), box.x + 14, box.y + 20, "op" + plain, ink),
                   label(cut(nameFor(i), db === null ? 27 : 16), box.x + 14, box.y + 39, plain, ink)];
    if (db !== null) {
      const words = db === Infinity ? "equal" : app.short(db) + " dB";
      parts.push(label(words, box.x + box.width - 9, box.y + 39, plain, ink, "end"));
    }
    if (layers.kind[i] === "Q") {
      parts.push(make("rect", {class: "stripe", x: box.x + 4, y: box.y + 8, width: 4,
                               height: box.height - 16, rx: 2}));
    }
    return parts;
  }

  function terminalLabels(i, box, near) {
    if (!near) return [];
    const text = cut(picture.labels[i - data.count], Math.floor(box.width / 7.4));
    return [label(text, box.x + box.width / 2, box.y + box.height / 2 + 4.5, "", null, "middle")];
  }

  const place = {x: 0, y: 0, scale: 1};
  const size = () => [svg.clientWidth || 800, svg.clientHeight || 600];
  let labelled = "";
  function refreshLabels(force = false) {
    const [width, height] = size();
    const near = place.scale >= kAllFrom;
    const visible = [];
    if (place.scale >= kOpsFrom) {
      const [left, top] = [-place.x / place.scale, -place.y / place.scale];
      const [right, bottom] = [left + width / place.scale, top + height / place.scale];
      for (let i = 0; i < boxes.length && visible.length < kMaxLabels; ++i) {
        const box = boxes[i];
        if (box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top) visible.push(i);
      }
    }
    const now = near + ":" + visible.join();
    if (now === labelled && !force) return;
    labelled = now;
    labelGroup.replaceChildren(...visible.flatMap(i =>
        isLayer(i) ? layerLabels(i, boxes[i], near) : terminalLabels(i, boxes[i], near)));
  }

  // ----- place and scale

  let pending = false;
  function apply() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      view.setAttribute("transform", `translate(${place.x} ${place.y}) scale(${place.scale})`);
      edgeGroup.setAttribute("stroke-width", Math.max(1.4, .55 / place.scale));
      litGroup.setAttribute("stroke-width", Math.max(2.4, 1.4 / place.scale));
      boxGroup.classList.toggle("far", place.scale < .1);
      refreshLabels();
      minimap.hidden = fitsWithin();
      drawMinimap();
    });
  }

  function fitsWithin() {
    const [width, height] = size();
    return place.x >= 0 && place.y >= 0 && place.x + picture.width * place.scale <= width &&
        place.y + picture.height * place.scale <= height;
  }

  function fitScale() {
    const [width, height] = size();
    const whole = Math.min(width / (picture.width + 60), height / (picture.height + 60), 1);
    return Math.max(whole, Math.min(width / (picture.width + 60), .1));
  }

  function centre(x, y) {
    const [width, height] = size();
    place.x = width / 2 - x * place.scale;
    place.y = height / 2 - y * place.scale;
    apply();
  }

  function fit() {
    const [, height] = size();
    place.scale = fitScale();
    const fits = picture.height * place.scale <= height;
    centre(picture.width / 2, fits ? picture.height / 2 : height / place.scale / 2 - 20);
  }

  function centreOn(i) {
    centre(boxes[i].x + boxes[i].width / 2, boxes[i].y + boxes[i].height / 2);
  }

  function zoom(factor, x = size()[0] / 2, y = size()[1] / 2) {
    const smallest = Math.min(fitScale(), .1) / 2;
    const scale = Math.min(Math.max(place.scale * factor, smallest), kMaxScale);
    place.x = x - (x - place.x) * scale / place.scale;
    place.y = y - (y - place.y) * scale / place.scale;
    place.scale = scale;
    apply();
  }

  // ----- the strip: width and height scaled on their own, hot layers drawn last

  const stripX = x => 6 + x / Math.max(picture.width, 1) * (minimap.clientWidth - 12);
  const stripY = y => 6 + y / Math.max(picture.height, 1) * (minimap.clientHeight - 12);
  let strip = null;
  function drawStrip(ratio) {
    strip = document.createElement("canvas");
    strip.width = minimap.width;
    strip.height = minimap.height;
    const pen = strip.getContext("2d");
    pen.scale(ratio, ratio);
    const order = [...Array(data.count).keys()]
        .sort((a, b) => (app.sqnr(app.state.error, b) ?? 1e9) - (app.sqnr(app.state.error, a) ?? 1e9));
    for (const i of order) {
      const box = boxes[i];
      pen.fillStyle = fills[i] ? app.css(fills[i]) : app.style("--edge");
      pen.globalAlpha = fills[i] ? 1 : .4;
      pen.fillRect(stripX(box.x), stripY(box.y), Math.max(stripX(box.x + box.width) - stripX(box.x), 2),
                   Math.max(stripY(box.y + box.height) - stripY(box.y), 1.5));
    }
  }

  function drawMinimap(fresh = false) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [minimap.clientWidth * ratio, minimap.clientHeight * ratio].map(Math.round);
    if (!width || !fills.length) return;
    if (minimap.width !== width || minimap.height !== height || fresh || !strip) {
      [minimap.width, minimap.height] = [width, height];
      drawStrip(ratio);
    }
    const pen = minimap.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.drawImage(strip, 0, 0);
    pen.scale(ratio, ratio);
    const [w, h] = size();
    const left = Math.max(stripX(-place.x / place.scale), 1);
    const top = Math.max(stripY(-place.y / place.scale), 1);
    const right = Math.min(stripX((w - place.x) / place.scale), minimap.clientWidth - 1);
    const bottom = Math.min(stripY((h - place.y) / place.scale), minimap.clientHeight - 1);
    pen.strokeStyle = app.style("--accent");
    pen.lineWidth = 1.5;
    pen.strokeRect(left, top, Math.max(right - left, 4), Math.max(bottom - top, 3));
  }

  function jump(event) {
    const area = minimap.getBoundingClientRect();
    centre((event.clientX - area.left - 6) / (area.width - 12) * picture.width,
           (event.clientY - area.top - 6) / (area.height - 12) * picture.height);
  }

  // ----- selection

  let chosen = -1;
  function showSelection(origin) {
    rects[chosen]?.classList.remove("chosen");
    chosen = app.state.selected;
    litGroup.replaceChildren();
    if (chosen < 0) return;
    rects[chosen].classList.add("chosen");
    litGroup.append(make("path", {d: edgesOf[chosen].map(edge => curve(picture.routes[edge])).join("")}));
    if (origin === "graph") return;
    if (place.scale < kAllFrom) place.scale = .85;
    centreOn(chosen);
  }

  // ----- mouse and keys

  let drag = null;
  svg.addEventListener("pointerdown", event => {
    drag = {x: event.clientX, y: event.clientY, far: false};
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", event => {
    if (drag) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.far && Math.hypot(dx, dy) < 4) return;
      drag = {x: event.clientX, y: event.clientY, far: true};
      svg.classList.add("moving");
      place.x += dx;
      place.y += dy;
      app.hideTip();
      apply();
      return;
    }
    const i = Number(event.target.dataset?.box ?? -1);
    if (i < 0) app.hideTip();
    else if (isLayer(i)) app.showTip(event, layers.name[i], app.describe(i));
    else app.showTip(event, picture.labels[i - data.count], [boxes[i].kind === "I" ? "input of the model" : "output of the model"]);
  });
  svg.addEventListener("pointerup", event => {
    const moved = drag?.far;
    drag = null;
    svg.classList.remove("moving");
    if (moved) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const i = Number(under?.dataset?.box ?? -1);
    app.select(i >= 0 && isLayer(i) ? i : -1, "graph");
  });
  svg.addEventListener("pointercancel", () => { drag = null; });
  svg.addEventListener("pointerleave", app.hideTip);
  svg.addEventListener("wheel", event => {
    // The page scrolls as it should unless the reader means the picture.
    if (!event.ctrlKey && document.activeElement !== svg) return;
    event.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? .05 : .0016)), event.clientX - area.left, event.clientY - area.top);
  }, {passive: false});

  const step = by => {
    const next = Math.min(Math.max(app.state.selected + by, 0), data.count - 1);
    if (data.count) app.select(next, "keys");
  };
  const pan = (dx, dy) => { place.x += dx; place.y += dy; apply(); };
  const keys = {
    ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0),
    ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(.8), f: fit, F: fit, 0: fit,
    j: () => step(1), k: () => step(-1), Escape: () => app.select(-1, "keys"),
  };
  svg.addEventListener("keydown", event => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const zoomButtons = {in: () => zoom(1.3), out: () => zoom(1 / 1.3), fit};
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomButtons[button.dataset.zoom]());
  }
  minimap.addEventListener("pointerdown", event => { minimap.setPointerCapture(event.pointerId); jump(event); });
  minimap.addEventListener("pointermove", event => { if (event.buttons) jump(event); });

  app.press("error", app.setError);
  app.changed.error.push(() => { strip = null; paint(); });
  app.changed.theme.push(() => drawMinimap(true));
  app.changed.selection.push(showSelection);
  new ResizeObserver(() => { refreshLabels(); drawMinimap(); }).observe(svg);
  addEventListener("beforeprint", fit);

  paint();
  fit();
  app.fitsAtOnce = place.scale >= kAllFrom;
})();
