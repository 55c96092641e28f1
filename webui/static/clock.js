// Round clocks: every [data-clock] shows what is left, by the server's time. The page's own clock may be wrong by
// hours: of the last beats, the one that took least time on its way says how far this browser's clock is off.
window.bookwatch.rounds = (() => {
  "use strict";
  const LAST_MS = 5 * 60000; // engine.roundclock.LAST_MINUTES
  const KEPT = 15;
  const samples = []; // server's minus this browser's time in milliseconds; delays make it smaller
  const said = document.getElementById("clock-said");
  let before = null;

  const serverTime = () => (samples.length ? performance.now() + Math.max(...samples) : null);

  function left(of, now) {
    const gone = of.clock === "running" ? Math.max(0, now - Number(of.since)) : 0;
    return Math.max(0, Number(of.left) - gone);
  }
  function state(of, ms) {
    if (of.clock === "none") return "not-started";
    if (of.clock === "ended" || ms === 0) return "over";
    if (of.clock === "paused") return "paused";
    return ms <= LAST_MS ? "last" : "going";
  }
  function time(ms) {
    const seconds = Math.ceil(ms / 1000);
    const minutes = Math.floor(seconds / 60);
    return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  }
  const NOTES = {
    "not-started": () => "",
    going: (of) => `of ${of.minutes} minutes`,
    last: () => "▲ last minutes",
    paused: () => "❚❚ paused",
    over: (of) => (of.clock === "ended" ? "■ ended by the director" : "■ no new hand; finish this one"),
  };
  const ALOUD = {
    last: "Last five minutes of the round.",
    paused: "The round's clock is paused.",
    over: "The round is over.",
  };
  const write = (label, text) => { if (label && label.textContent !== text) label.textContent = text; };

  function show() {
    const now = serverTime();
    if (now === null) return;
    const shown = document.querySelectorAll("[data-clock]");
    for (const clock of shown) {
      const ms = left(clock.dataset, now);
      const is = state(clock.dataset, ms);
      if (clock.dataset.state !== is) clock.dataset.state = is;
      write(clock.querySelector("[data-time]"), is === "not-started" ? "not started" : is === "over" ? "Time" : time(ms));
      write(clock.querySelector("[data-note]"), NOTES[is](clock.dataset));
    }
    if (!said || shown.length !== 1) return;
    const is = shown[0].dataset.state;
    if (before !== null && is !== before) said.textContent = ALOUD[is] || "";
    before = is;
  }
  setInterval(show, 250);

  return {
    // `now`: the server's time in milliseconds when it sent the beat.
    beat(now, sinceReceived) {
      samples.push(now - (performance.now() - sinceReceived));
      if (samples.length > KEPT) samples.shift();
      show();
    },
    show,
  };
})();
