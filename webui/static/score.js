// The scorekeeper's page: drawn anew when the table changes, unless something is being typed.
(() => {
  "use strict";
  document.addEventListener("click", (event) => { if (event.target.closest("[data-print]")) window.print(); });
  const main = document.getElementById("main");
  if (!main.dataset.stream) return;
  let mark = main.dataset.mark;
  let waiting = false;
  let drawn = main.querySelector("[data-live]").innerHTML; // as the server sent it, before the clock runs in it

  const typing = () => document.activeElement && document.activeElement.matches("main input:not([type=hidden]):not([type=radio])");
  async function refresh() {
    if (typing()) { waiting = true; return; }
    waiting = false;
    let page;
    try {
      const answer = await fetch(location.href.split("#")[0], { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { return; }
    if (typing()) { waiting = true; return; }
    mark = page.getElementById("main").dataset.mark;
    const old = main.querySelector("[data-live]"), fresh = page.querySelector("[data-live]");
    if (fresh.innerHTML === drawn) return;
    drawn = fresh.innerHTML;
    for (const details of fresh.querySelectorAll("details[id]")) {
      const before = document.getElementById(details.id);
      if (before) details.open = before.open;
    }
    old.replaceChildren(...fresh.childNodes);
    window.bookwatch.rounds.show();
  }
  document.addEventListener("focusout", () => { if (waiting) setTimeout(refresh, 200); });

  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

  let stream = null;
  const clock = window.bookwatch.ageClock(() => stream !== null && stream.silent());
  stream = window.bookwatch.live(main.dataset.stream, {
    table(_html, _since, id) { clock.open(); if (id !== mark) refresh(); },
    beat(data, since) { window.bookwatch.rounds.beat(JSON.parse(data).now, since); clock.beat(data, since); },
    lost: clock.lost,
    open: clock.open,
  });
})();
