// The director's pages: regions are fetched again when something arrives, pictures open large, books step in place.
(() => {
  "use strict";
  const main = document.getElementById("main");
  const hand = main.dataset.hand || null;
  let position = main.dataset.position;
  let waiting = null;

  async function refresh(url) {
    let page;
    try {
      const answer = await fetch(url, { headers: { Accept: "text/html" } });
      if (!answer.ok) return false;
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { return false; }
    position = page.getElementById("main").dataset.position;
    for (const fresh of page.querySelectorAll("[data-region]")) {
      const old = document.querySelector(`[data-region="${fresh.dataset.region}"]`);
      if (!old) continue;
      const open = new Map([...old.querySelectorAll("details.flag[id]")].map((d) => [d.id, d.open]));
      for (const details of fresh.querySelectorAll("details.flag[id]")) {
        if (open.has(details.id)) details.open = open.get(details.id);
      }
      if (old.innerHTML === fresh.innerHTML) continue;
      // A form somebody is filling in stays; its region is brought up to date when it is closed or sent.
      if (old.querySelector("details.entry[open]")) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      old.replaceChildren(...fresh.childNodes);
      if (focused) for (const a of old.querySelectorAll("a[href]")) if (a.getAttribute("href") === focused) { a.focus({ preventScroll: true }); break; }
    }
    openTarget();
    showAges();
    window.bookwatch.rounds.show();
    return true;
  }
  const soon = () => {
    if (waiting === null) waiting = setTimeout(() => { waiting = null; refresh(location.href.split("#")[0]); }, 200);
  };

  // A link from the list names its flag: show it opened.
  let target = location.hash.slice(1);
  function openTarget() {
    const flag = target && document.getElementById(target);
    if (flag && flag.tagName === "DETAILS") { flag.open = true; flag.scrollIntoView(); target = ""; }
  }

  // Ages: one clock for the page's hand, one line for each hand of the list.
  let ages = {};
  let stream = null;
  const clock = hand ? window.bookwatch.ageClock(() => stream !== null && stream.silent()) : null;
  function showAges() {
    for (const label of document.querySelectorAll(".age-of")) {
      const of = ages[label.dataset.hand];
      const card = label.closest(".table-card");
      if (!of) { card.classList.remove("stale-hand"); continue; }
      const age = of.seen === null ? null : (Date.now() - of.seen) / 1000;
      const stale = of.state !== "ended" && age !== null && age > of.limit;
      card.classList.toggle("stale-hand", stale || stream.silent());
      label.textContent = stream.silent() ? "connection lost" : of.state === "ended" ? "hand over" : age === null ? "" : window.bookwatch.ageWords(age);
    }
  }
  setInterval(showAges, 1000);

  const behind = (id) => id && id !== position;
  stream = window.bookwatch.live(main.dataset.stream, {
    arrived(data, _, id) { if ((!hand || JSON.parse(data).hand === hand) && behind(id)) soon(); },
    reset(_data, _since, id) { if (behind(id)) soon(); },
    beat(data, since) {
      window.bookwatch.rounds.beat(JSON.parse(data).now, since);
      const now = Date.now() - since;
      ages = {};
      for (const [name, b] of Object.entries(JSON.parse(data).hands)) {
        ages[name] = { ...b, seen: b.age === null ? null : now - b.age * 1000 };
      }
      const mine = hand && JSON.parse(data).hands[hand];
      if (clock && mine) clock.beat(JSON.stringify(mine), since);
      showAges();
    },
    lost() { if (clock) clock.lost(); },
    open() { if (clock) clock.open(); },
  });
  openTarget();

  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.entry") && !event.target.open) soon();
  }, true);
  document.addEventListener("change", (event) => {
    // Choosing from a list means the change beside it.
    const radio = event.target.matches("details.entry select") && event.target.closest("label")?.querySelector("input[type=radio]");
    if (radio) radio.checked = true;
  });

  // Books and pictures.
  const dialog = document.getElementById("zoom");
  const picture = document.getElementById("zoom-picture");
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) { window.print(); return; }
    const proof = event.target.closest("a.to-proof");
    if (proof) { target = proof.hash.slice(1); openTarget(); event.preventDefault(); return; }
    const swap = event.target.closest("a[data-swap][href]");
    if (swap) {
      event.preventDefault();
      const url = new URL(swap.getAttribute("href"), location.href);
      refresh(url.href.split("#")[0]).then((done) => {
        if (done) history.replaceState(null, "", url.search); else location.assign(url);
      });
      return;
    }
    const zoom = event.target.closest("a.zoom");
    if (zoom) {
      event.preventDefault();
      picture.src = zoom.href;
      picture.alt = document.getElementById("zoom-caption").textContent = zoom.dataset.caption;
      picture.parentElement.classList.remove("near");
      dialog.showModal();
    }
  });
  picture.addEventListener("click", (event) => {
    const stage = picture.parentElement;
    const x = event.offsetX / picture.clientWidth, y = event.offsetY / picture.clientHeight;
    if (stage.classList.toggle("near")) {
      stage.scrollTo(x * picture.clientWidth - stage.clientWidth / 2, y * picture.clientHeight - stage.clientHeight / 2);
    }
  });
})();
