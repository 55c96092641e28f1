// The set-up page: a live picture, and corners that are dragged by finger, mouse or arrow keys.
(() => {
  "use strict";
  const stage = document.getElementById("stage");

  document.addEventListener("submit", (event) => {
    const busy = event.target.dataset.busy;
    if (busy !== undefined) event.submitter.textContent = busy || "Reading…";
  });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link) return;
    event.preventDefault();
    link.textContent = "Looking…";
    try {
      const answer = await fetch(link.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.getElementById("verdict").replaceWith(page.getElementById("verdict"));
    } catch { location.reload(); }
  });
  if (!stage) return;

  const plan = document.getElementById("plan"), loupe = document.getElementById("loupe");
  const form = document.getElementById("marking"), live = document.getElementById("live");
  const { width, height } = plan.viewBox.baseVal;
  const handles = [...plan.querySelectorAll(".handle")], seats = [...plan.querySelectorAll(".seat")];
  const field = (name) => form.elements[name];
  let corners = handles.map((_, n) => [Number(field("x" + n).value), Number(field("y" + n).value)]);

  /** Picture pixels for one pixel of the screen. */
  const scale = () => width / stage.clientWidth;
  function draw() {
    if (!stage.clientWidth) return;
    const outline = corners.map((p) => p.join(",")).join(" ");
    document.getElementById("outline").setAttribute("points", outline);
    // Handles and names keep their size on the screen, however small it is.
    const size = scale() * Math.min(1, Math.max(.55, stage.clientWidth / 1000));
    const put = (element, x, y, by) => element.setAttribute("transform", `translate(${x} ${y}) scale(${by})`);
    handles.forEach((handle, n) => put(handle, ...corners[n], scale() * .75));
    const middle = [0, 1].map((i) => corners.reduce((sum, p) => sum + p[i], 0) / 4);
    seats.forEach((seat, n) => {
      const [a, b] = [corners[n], corners[(n + 1) % 4]];
      put(seat, ...[0, 1].map((i) => .82 * (a[i] + b[i]) / 2 + .18 * middle[i]), size);
    });
  }
  function changed() {
    const areas = document.getElementById("areas");
    if (areas) areas.remove();
    corners.forEach(([x, y], n) => { field("x" + n).value = x.toFixed(1); field("y" + n).value = y.toFixed(1); });
    draw();
  }
  function look(n) {
    const [x, y] = corners[n], half = 45 * scale() * .5;
    loupe.setAttribute("viewBox", `${x - half} ${y - half} ${2 * half} ${2 * half}`);
    document.getElementById("cross").setAttribute("d", `M${x - half},${y}H${x + half}M${x},${y - half}V${y + half}`);
    loupe.classList.toggle("right", x < width / 2);
    loupe.removeAttribute("hidden");
  }
  const within = (value, most) => Math.min(Math.max(value, -.1 * most), 1.1 * most);
  function move(n, x, y) {
    corners[n] = [within(x, width), within(y, height)];
    changed();
    look(n);
  }

  handles.forEach((handle, n) => {
    let from = null;
    handle.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      handle.focus({ preventScroll: true });
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("held");
      from = [event.clientX, event.clientY, ...corners[n]];
      look(n);
    });
    // touch-action does not reach into a drawing: without this the page would scroll under the finger.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("pointermove", (event) => {
      if (from) move(n, from[2] + (event.clientX - from[0]) * scale(), from[3] + (event.clientY - from[1]) * scale());
    });
    const end = () => { from = null; handle.classList.remove("held"); loupe.setAttribute("hidden", ""); };
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
    handle.addEventListener("blur", end);
    handle.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      const step = event.shiftKey ? 20 : 2;
      move(n, corners[n][0] + way[0] * step, corners[n][1] + way[1] * step);
    });
  });
  form.addEventListener("input", () => {
    const typed = corners.map((_, n) => [Number(field("x" + n).value), Number(field("y" + n).value)]);
    if (!typed.flat().every(Number.isFinite)) return;
    corners = typed;
    draw();
  });
  document.getElementById("turn").addEventListener("click", (event) => {
    event.preventDefault();
    corners = [...corners.slice(1), corners[0]];
    const [across, down] = [field("width_cm"), field("height_cm")];
    [across.value, down.value] = [down.value, across.value];
    changed();
  });
  addEventListener("resize", draw);
  draw();

  // The next picture is asked for when the last one is there, and only while somebody looks.
  const state = document.getElementById("live-state"), calm = state.textContent;
  let count = 0;
  async function next() {
    const fresh = new Image();
    fresh.src = `${stage.dataset.picture}?n=${count += 1}`;
    try {
      await fresh.decode();
      live.src = fresh.src;
      loupe.querySelector("image").setAttribute("href", fresh.src);
      state.textContent = calm;
    } catch { state.textContent = "The camera gives no picture just now. What is shown is older."; }
  }
  (async () => {
    for (;;) {
      await new Promise((done) => setTimeout(done, 1500));
      if (!document.hidden) await next();
    }
  })();
})();
