"use strict";
// Bar charts by uPlot; the figures are in the page. Drawn anew when the width or the theme changes.
(() => {
  const boxes = [...document.querySelectorAll("[data-chart]")];
  const plots = new Map();
  function draw(box) {
    const chart = JSON.parse(box.dataset.chart);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const inks = [colour("--link"), colour("--warn")];
    const places = chart.labels.map((_, n) => n), many = chart.series.length;
    plots.get(box)?.destroy();
    const axis = { stroke: colour("--ink"), grid: { stroke: colour("--line"), width: 1 } };
    plots.set(box, new uPlot({
      width: box.clientWidth, height: 240, cursor: { show: false }, legend: { show: many > 1, live: false },
      scales: {
        x: { time: false, range: [-0.6, chart.labels.length - 0.4] },
        y: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] },
      },
      axes: [
        { ...axis, grid: { show: false }, splits: () => places, values: () => chart.labels.map((label, n) =>
          n % Math.ceil(chart.labels.length * 52 / box.clientWidth) ? "" : label) },
        { ...axis, incrs: chart.id === "pace" ? undefined : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] },
      ],
      series: [{}, ...chart.series.map((one, n) => ({
        label: one.name, fill: inks[n], stroke: inks[n], points: { show: false },
        paths: uPlot.paths.bars({ size: [0.7 / many, 60], align: many > 1 ? (n ? 1 : -1) : 0 }),
      }))],
    }, [places, ...chart.series.map((one) => one.values)], box));
  }
  const all = () => boxes.forEach(draw);
  let due = 0;
  const later = () => { cancelAnimationFrame(due); due = requestAnimationFrame(all); };
  all();
  addEventListener("resize", later);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  new MutationObserver(later).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
})();
