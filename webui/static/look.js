// Theme and suit colours: kept in this browser, set before the page is painted.
(() => {
  "use strict";
  const root = document.documentElement;
  const kept = (name, otherwise) => {
    try { return localStorage.getItem("bookwatch-" + name) || otherwise; } catch { return otherwise; }
  };
  const apply = (name, value) => { root.dataset[name] = value; };
  const choices = { theme: kept("theme", "auto"), suits: kept("suits", "two") };
  for (const [name, value] of Object.entries(choices)) apply(name, value);

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("look");
    if (!form) return;
    for (const [name, value] of Object.entries(choices)) {
      for (const radio of form.elements[name]) radio.checked = radio.value === value;
    }
    form.addEventListener("change", (event) => {
      apply(event.target.name, event.target.value);
      try { localStorage.setItem("bookwatch-" + event.target.name, event.target.value); } catch { /* private mode */ }
    });
    const details = form.closest("details");
    document.addEventListener("click", (event) => {
      if (!details.contains(event.target)) details.open = false;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && details.open) { details.open = false; details.querySelector("summary").focus(); }
    });
  });
})();
