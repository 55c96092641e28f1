// The live stream of a page: through the shared worker where there is one, else directly while the page is seen.
// window.bookwatch.live(url, handlers): handlers by event name get (data, milliseconds since it was received, id).
window.bookwatch = (() => {
  "use strict";
  const NAMES = ["table", "beat", "arrived", "reset", "gone"];
  const SILENT_MS = 15000; // three missed beats: the connection is as good as lost

  function live(url, handlers) {
    const absolute = new URL(url, location.href).href;
    let heard = Date.now();
    const handle = ({ event, data, id, at }) => {
      if (event !== "lost") heard = Date.now();
      if (handlers[event]) handlers[event](data, at ? Date.now() - at : 0, id);
    };
    if (window.SharedWorker) {
      const script = document.querySelector("script[data-worker]");
      const worker = new SharedWorker(script.dataset.worker, { name: absolute });
      worker.port.onmessage = ({ data }) => handle(data);
      worker.onerror = () => handle({ event: "lost" });
      worker.port.postMessage({ url: absolute });
      addEventListener("pagehide", () => worker.port.postMessage({ bye: true }));
      addEventListener("pageshow", (event) => { if (event.persisted) worker.port.postMessage({ url: absolute }); });
    } else {
      let source = null;
      const open = () => {
        if (source) return;
        source = new EventSource(absolute);
        source.onerror = () => {
          handle({ event: "lost" });
          if (source.readyState === EventSource.CLOSED) { source = null; setTimeout(open, 5000); }
        };
        for (const name of NAMES) source.addEventListener(name, (e) => handle({ event: name, data: e.data, id: e.lastEventId, at: Date.now() }));
      };
      const close = () => { if (source) { source.close(); source = null; } };
      document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
      addEventListener("pagehide", close);
      addEventListener("pageshow", open);
      open();
    }
    return { silent: () => Date.now() - heard > SILENT_MS };
  }

  const ago = (s) => (s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} days`);
  // Younger than two beats is as young as one can know.
  const ageWords = (s) => (s < 4 ? "live" : `last seen ${ago(s)} ago`);

  // The age of what is shown. `seconds`: how old the camera's last look was when the server said so.
  function ageClock(isSilent) {
    const label = document.getElementById("age");
    let seen = null; // this browser's clock: no agreement with the server's is needed
    let state = "live";
    let limit = 15; // seconds after which it is stale
    let connected = null; // not yet known
    const show = () => {
      const lost = connected === false || isSilent();
      const age = seen === null ? null : Math.max(0, (Date.now() - seen) / 1000);
      const stale = state !== "ended" && (lost || (age !== null && age > limit));
      document.body.classList.toggle("stale", stale);
      label.classList.toggle("bad", stale);
      if (state === "ended") label.textContent = "hand over";
      else if (lost) label.textContent = age === null ? "connection lost" : `connection lost, seen ${ago(age)} ago`;
      else if (state === "waiting") label.textContent = "waiting";
      else if (age !== null) label.textContent = ageWords(age);
      else label.textContent = connected ? "connected" : "connecting";
      label.hidden = false;
    };
    setInterval(show, 1000);
    return {
      beat(data, sinceReceived) {
        connected = true;
        const beat = JSON.parse(data);
        state = beat.state;
        limit = beat.limit;
        seen = beat.age === null ? null : Date.now() - sinceReceived - beat.age * 1000;
        show();
      },
      lost() { connected = false; show(); },
      open() { connected = true; show(); },
    };
  }

  return { live, ageClock, ageWords };
})();
