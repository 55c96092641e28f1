// The table screen: the server sends the drawn table whenever what players may see of it changes.
(() => {
  "use strict";
  const main = document.getElementById("main");
  let stream = null;
  const clock = window.bookwatch.ageClock(() => stream !== null && stream.silent());
  stream = window.bookwatch.live(main.dataset.stream, {
    table(html) { main.innerHTML = html; window.bookwatch.rounds.show(); clock.open(); },
    beat(data, since) { window.bookwatch.rounds.beat(JSON.parse(data).now, since); clock.beat(data, since); },
    lost: clock.lost,
    open: clock.open,
  });
})();
