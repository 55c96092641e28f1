// One event stream for all tabs of this browser: browsers allow six connections to a server.
"use strict";
const ports = new Set();
const last = new Map(); // event name -> its last message, for tabs that open later
const NAMES = ["table", "beat", "arrived", "reset", "gone"];
let source = null;

function send(message) {
  for (const port of ports) port.postMessage(message);
}

function connect(url) {
  source = new EventSource(url);
  source.onopen = () => send({ event: "open" });
  source.onerror = () => {
    send({ event: "lost" });
    if (source && source.readyState === EventSource.CLOSED) {
      // The server answered with an error: the browser gives up by itself, the worker does not.
      source = null;
      setTimeout(() => { if (ports.size && !source) connect(url); }, 5000);
    }
  };
  for (const name of NAMES) {
    source.addEventListener(name, (event) => {
      const message = { event: name, data: event.data, id: event.lastEventId, at: Date.now() };
      last.set(name, message);
      send(message);
    });
  }
}

onconnect = (event) => {
  const port = event.ports[0];
  port.onmessage = ({ data }) => {
    if (data.bye) {
      ports.delete(port);
      if (!ports.size && source) { source.close(); source = null; last.clear(); }
      return;
    }
    ports.add(port);
    if (!source) connect(data.url);
    for (const name of ["table", "beat"]) if (last.has(name)) port.postMessage(last.get(name));
  };
};
