"use strict";
(() => {
  const root = document.documentElement;
  const variable = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const colorName = (number) => "c" + ((number - 1) % 10 + 1);
  const colorOf = (number) => variable(colorName(number));
  const element = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text ?? "";
    return made;
  };

  // A number as the page writes it: at most six digits, with powers of ten where it is very large or small.
  const numberText = (value) => {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    if (size === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(6)));
    const [digits, power] = value.toExponential(5).split("e");
    const raised = String(Number(power)).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
    return (Number(digits) === 1 ? "" : Number(digits) + "×") + "10" + raised;
  };

  // About five round values, as on an axis without logarithms.
  const levels = (min, max) => {
    const least = (max - min) / 5, power = 10 ** Math.floor(Math.log10(least)), values = [];
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
    for (let i = Math.ceil(min / step - 1e-9); i * step <= max + 1e-9 * step; ++i) values.push(Number((i * step).toPrecision(12)));
    return values;
  };

  // Powers of ten, with 2 and 5 times these on an axis of few decades; of less than a decade, round values.
  const decades = (min, max) => {
    const first = Math.floor(Math.log10(min)), last = Math.log10(max), values = [];
    const step = Math.max(1, Math.ceil((last - first) / 7)), factors = last - first <= 2.4 ? [1, 2, 5] : [1];
    for (let power = first; power <= last; power += step) values.push(...factors.map((factor) => Number(`${factor}e${power}`)));
    const inside = values.filter((value) => value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9));
    return inside.length > 1 ? inside : levels(min, max);
  };

  // Points that have a place on the axes. JSON has null for numbers that aren't finite.
  const plottedPoints = (figure, series) => {
    const hasPlace = (axis, value) => typeof value === "number" && (!axis.logarithmic || value > 0);
    const end = (value, y) => hasPlace(figure.y, value) ? value : y;
    return series.x.map((x, i) => ({x, y: series.y[i], low: end(series.low[i], series.y[i]), high: end(series.high[i], series.y[i])}))
      .filter((point) => hasPlace(figure.x, point.x) && hasPlace(figure.y, point.y));
  };

  // Columns of x and of each series' y, rows sorted by x. A row has several series' points if they have the same x. Row r of series s is
  // points[s][r].
  const alignedColumns = (all) => {
    const columns = [[], ...all.map(() => [])], points = all.map(() => []);
    const sorted = all.flatMap((list, s) => list.map((point) => ({s, point}))).sort((a, b) => a.point.x - b.point.x);
    for (const {s, point} of sorted) {
      let row = columns[0].length - 1;
      if (row < 0 || columns[0][row] !== point.x || columns[s + 1][row] !== undefined) {
        columns.forEach((column) => column.push(undefined));
        columns[0][++row] = point.x;
      }
      columns[s + 1][row] = point.y;
      points[s][row] = point;
    }
    return {columns, points};
  };

  // The line, the error bars and the area of a series, in the order of its points, which needn't be that of x.
  const pathsOf = (series, points) => (u) => {
    const stroke = new Path2D(), fill = new Path2D();
    const x = (value) => u.valToPos(value, "x", true), y = (value) => u.valToPos(value, "y", true);
    if (series.style !== "points") points.forEach((point, i) => stroke[i ? "lineTo" : "moveTo"](x(point.x), y(point.y)));
    if (series.low.length && series.band) {
      points.forEach((point, i) => fill[i ? "lineTo" : "moveTo"](x(point.x), y(point.high)));
      [...points].reverse().forEach((point) => fill.lineTo(x(point.x), y(point.low)));
      fill.closePath();
    } else if (series.low.length) {
      points.forEach((point) => {
        stroke.moveTo(x(point.x), y(point.low));
        stroke.lineTo(x(point.x), y(point.high));
      });
    }
    return {stroke, fill: series.band ? fill : null};
  };

  // The row of a series' point that is closest to row `index`.
  const nearestRow = (u, s, index) => {
    const column = u.data[s], x = u.data[0];
    let before = index, after = index;
    while (before >= 0 && column[before] === undefined) --before;
    while (after < x.length && column[after] === undefined) ++after;
    if (before < 0 || after >= x.length) return before >= 0 ? before : after < x.length ? after : null;
    return x[index] - x[before] <= x[after] - x[index] ? before : after;
  };

  const valueText = (point, series) => point === undefined ? "–" :
    numberText(point.y) + (series.low.length ? ` (${numberText(point.low)} – ${numberText(point.high)})` : "");

  // Keeps the labels at their places. Labels beside the plot keep apart from each other, and a line leads from each to its y.
  const placeLabels = (u, labels) => {
    const left = u.over.offsetLeft, top = u.over.offsetTop, width = u.over.clientWidth, height = u.over.clientHeight;
    const beside = [];
    for (const {label, span} of labels) {
      const y = u.valToPos(label.y, "y"), x = label.beside ? width : u.valToPos(label.x, "x");
      const inside = y >= -1 && y <= height + 1 && x >= -1 && x <= width + 1;
      span.style.visibility = inside ? "visible" : "hidden";
      span.style.left = left + x + "px";
      span.style.top = top + y + "px";
      span.style.color = `var(--${colorName(label.color || 8)})`;
      if (label.rising) {
        const rise = y - u.valToPos(10 * label.y, "y"), run = u.valToPos(10 * label.x, "x") - x;
        span.style.rotate = -Math.atan2(rise, run) + "rad";
      }
      if (label.beside && inside && span.checkVisibility()) beside.push({span, wanted: y, color: label.color || 8});
    }
    beside.sort((a, b) => a.wanted - b.wanted);
    let lowest = height;
    beside.forEach((one, i) => one.placed = i ? Math.max(one.wanted, beside[i - 1].placed + 13) : one.wanted);
    for (const one of beside.reverse()) {
      one.placed = Math.min(one.placed, lowest);
      lowest = one.placed - 13;
      one.span.style.top = top + one.placed + "px";
      const scale = u.ctx.canvas.width / u.width, edge = left + width;
      u.ctx.save();
      u.ctx.strokeStyle = colorOf(one.color);
      u.ctx.lineWidth = scale;
      u.ctx.beginPath();
      u.ctx.moveTo(edge * scale, (top + one.wanted) * scale);
      u.ctx.lineTo((edge + 10) * scale, (top + one.placed) * scale);
      u.ctx.stroke();
      u.ctx.restore();
    }
  };

  const narrow = 560;  // pixels of a chart that is too narrow for labels
  const heightOf = (width) => Math.round(Math.min(Math.max(0.46 * width, 260), 480));

  const makeChart = (holder, picture) => {
    const shown = picture.series.map((series, i) => ({...series, color: series.color || i + 1}));
    const all = shown.map((series) => plottedPoints(picture, series));
    const {columns, points} = alignedColumns(all);
    if (!columns[0].length) return;
    const live = element("div", "live");
    live.tabIndex = 0;
    live.setAttribute("role", "application");
    live.setAttribute("aria-label", `${picture.title}: ${picture.y.label} over ${picture.x.label}. Arrow keys read values, plus zooms, Escape shows all.`);
    holder.insertBefore(live, holder.querySelector(".still"));
    holder.classList.add("has-live");
    const labels = picture.labels.map((label) => ({label, span: element("span", "label " + (label.beside ? "beside" : label.align), label.text)}));
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = "11px system-ui, sans-serif";
    const besideWidth = Math.max(0, ...picture.labels.filter((label) => label.beside).map((label) => canvas.measureText(label.text).width + 20));
    const full = {x: {min: picture.x.range[0], max: picture.x.range[1]}, y: {min: picture.y.range[0], max: picture.y.range[1]}};
    let isReady = false;
    const scaleOf = (name) => ({time: false, auto: name === "x", distr: picture[name].logarithmic ? 3 : 1,
      range: (u, min, max) => isReady && name === "x" ? [min, max] : [full[name].min, full[name].max]});
    const axisOf = (name) => ({scale: name, label: picture[name].label, labelSize: 22, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
      stroke: () => variable("ink"), grid: {stroke: () => variable("line"), width: 1}, ticks: {stroke: () => variable("line"), width: 1, size: 5},
      values: (u, values) => values.map(numberText), filter: (u, values) => values,
      ...(picture[name].logarithmic ? {splits: (u, axis, min, max) => decades(min, max)} : {}),
      ...(name === "y" ? {size: (u, values) => 18 + 7 * Math.max(3, ...(values ?? []).map((value) => String(value ?? "").length))} : {size: 30, space: 60})});
    const showAll = (u) => u.batch(() => {
      u.setScale("x", {...full.x});
      u.setScale("y", {...full.y});
    });
    const width = () => Math.max(live.clientWidth, 200);
    const plot = new uPlot({
      width: width(), height: heightOf(width()), padding: [12, 14, 0, 0].map((side, i) => i === 1 ? () => holder.classList.contains("small") ? side : Math.max(side, besideWidth) : side),
      scales: {x: scaleOf("x"), y: scaleOf("y")}, axes: [axisOf("x"), axisOf("y")],
      series: [{label: picture.x.label, value: (u, value) => numberText(value) || "–"}, ...shown.map((series, s) => ({
        label: series.title || "-", ...(series.title ? {} : {class: "untitled"}), spanGaps: true, width: series.style === "points" ? 1.2 : 2,
        stroke: () => colorOf(series.color), fill: series.band ? () => colorOf(series.color) + "33" : undefined, dash: series.dashed ? [6, 4] : undefined,
        paths: pathsOf(series, all[s]), points: {show: series.style !== "line", size: 7, width: 0, fill: () => colorOf(series.color)},
        value: (u, value, i, row) => valueText(points[s][row], series)}))],
      cursor: {drag: {x: true, y: true, uni: 30}, dataIdx: (u, s, row) => s && row !== null ? nearestRow(u, s, row) : row,
        bind: {dblclick: (u) => () => { showAll(u); return null; }}},
      hooks: {ready: [(u) => { isReady = true; labels.forEach(({span}) => u.root.querySelector(".u-wrap").append(span)); placeLabels(u, labels); }],
        draw: [(u) => placeLabels(u, labels)]},
    }, columns, live);
    holder.flopcastPlot = plot;
    live.addEventListener("keydown", (event) => {
      const row = plot.cursor.idx ?? (event.key === "ArrowLeft" ? columns[0].length : -1), {min, max} = plot.scales.x;
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        const next = Math.min(Math.max(row + (event.key === "ArrowRight" ? 1 : -1), 0), columns[0].length - 1);
        plot.setCursor({left: plot.valToPos(columns[0][next], "x"), top: plot.over.clientHeight / 2});
      } else if (event.key === "+") {
        const at = (share) => plot.posToVal(plot.over.clientWidth * share, "x");
        plot.setScale("x", {min: at(0.25), max: at(0.75)});
      } else if (event.key === "Escape") {
        showAll(plot);
      } else {
        return;
      }
      event.preventDefault();
    });
    new ResizeObserver(() => requestAnimationFrame(() => {  // not within the observer, which would see its own change
      if (!live.clientWidth) return;  // hidden in print
      holder.classList.toggle("small", live.clientWidth < narrow);
      if (live.clientWidth !== plot.width) plot.setSize({width: width(), height: heightOf(width())});
    })).observe(live);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw());
  };

  // A field above a long table: rows without one of its words are hidden.
  const makeFilter = (table) => {
    const rows = () => [...table.tBodies[0].rows];
    if (rows().length <= 8) return;
    const label = element("label", "filter", "Filter rows: "), input = element("input", ""), count = element("output", "");
    input.type = "search";
    count.setAttribute("aria-live", "polite");
    label.append(input, count);
    table.parentElement.before(label);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows().forEach((row) => row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)));
      count.textContent = words.length ? `${rows().filter((row) => !row.hidden).length} of ${rows().length} rows` : "";
    });
  };

  document.querySelectorAll("table").forEach(makeFilter);
  document.querySelectorAll(".sortable th").forEach((heading) => {
    heading.tabIndex = 0;
    heading.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      heading.click();
    });
  });
  document.querySelectorAll(".command").forEach((command) => {
    const button = element("button", "", "Copy");
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(command.querySelector("code"));
      button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
    });
    command.prepend(button);
  });
  if (typeof uPlot !== "undefined") {
    document.querySelectorAll("figure.chart").forEach((holder) => makeChart(holder, JSON.parse(holder.querySelector("script.picture").textContent)));
  }
})();
