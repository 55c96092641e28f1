"use strict";
// The replay: the steps are in the page; this lays the open book's cards on the table, one step at a time.
(() => {
  const steps = [...document.querySelectorAll("#steps li")];
  const root = document.getElementById("replay");
  if (!root || !steps.length) return;
  const LONGEST = 2500, SHORTEST = 350; // milliseconds of a step at speed 1: nobody wants to sit through a pause
  const control = (name) => root.querySelector(`[data-do="${name}"]`);
  const play = control("play"), place = control("place"), speed = control("speed");
  let now = 0, timer = 0;

  function show(step, moved) {
    now = Math.max(0, Math.min(steps.length - 1, step));
    const { book, seat, taken } = steps[now].dataset;
    for (const spot of root.querySelectorAll("[data-spot]")) {
      spot.replaceChildren();
      spot.parentElement.classList.toggle("active", spot.dataset.spot === seat);
    }
    for (let n = 0; n <= now; n++) {
      const card = steps[n].querySelector(".card");
      if (steps[n].dataset.book !== book || !card) continue;
      const copy = card.cloneNode(true);
      if (n === now && moved) copy.classList.add("arrives", steps[n].dataset.seat);
      root.querySelector(`[data-spot="${steps[n].dataset.seat}"]`).append(copy);
    }
    document.getElementById("replay-book").textContent = book === "0" ? "Before play" : `Book ${book}`;
    document.getElementById("replay-taken").textContent = taken.replace(" · ", "\n");
    document.getElementById("replay-said").textContent = steps[now].querySelector(".said").textContent;
    place.value = now;
    place.setAttribute("aria-valuetext", `step ${now + 1} of ${steps.length}`);
    if (now === steps.length - 1) pause();
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-label", "Play");
  }

  function wait() {
    const took = 1000 * (Number(steps[now + 1].dataset.at) - Number(steps[now].dataset.at));
    timer = setTimeout(() => {
      show(now + 1, true);
      if (timer) wait();
    }, Math.max(SHORTEST, Math.min(LONGEST, took)) / Number(speed.value));
  }

  function toggle() {
    if (timer) return pause();
    if (now === steps.length - 1) show(0);
    play.textContent = "Pause";
    play.setAttribute("aria-label", "Pause");
    wait();
  }

  const go = (step, moved) => { pause(); show(step, moved); };
  play.addEventListener("click", toggle);
  control("first").addEventListener("click", () => go(0));
  control("back").addEventListener("click", () => go(now - 1));
  control("next").addEventListener("click", () => go(now + 1, true));
  place.addEventListener("input", () => go(Number(place.value)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, input, select, summary, a")) return;
    const act = { " ": toggle, ArrowRight: () => go(now + 1, true), ArrowLeft: () => go(now - 1), Home: () => go(0), End: () => go(steps.length - 1) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  root.querySelector(".controls").hidden = false;
  show(0);
})();
