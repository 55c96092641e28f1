// The casual page: pictures are made small before they are sent; what changes is swapped in, the picture stays.
(() => {
  "use strict";
  const SIDE = 2560;

  async function shrunk(file) {
    let drawn;
    try { drawn = await createImageBitmap(file); } catch { return null; }
    const scale = SIDE / Math.max(drawn.width, drawn.height);
    if (scale >= 1 && file.size < 3e6) return null;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(drawn.width * Math.min(1, scale));
    canvas.height = Math.round(drawn.height * Math.min(1, scale));
    canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
    return blob && new File([blob], "photo.jpg", { type: "image/jpeg" });
  }

  for (const form of document.querySelectorAll("form[data-send]")) {
    const input = form.elements.photo;
    form.querySelector("button").hidden = true;
    input.addEventListener("change", async () => {
      if (!input.files.length) return;
      const busy = document.getElementById("busy");
      busy.hidden = false;
      busy.scrollIntoView({ block: "nearest" });
      const small = await shrunk(input.files[0]);
      if (small) {
        const files = new DataTransfer();
        files.items.add(small);
        input.files = files.files;
      }
      form.submit();
    });
  }
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-look]")) document.getElementById("busy").hidden = false;
  });
  window.addEventListener("pageshow", () => {
    const busy = document.getElementById("busy");
    if (busy) busy.hidden = true;
    for (const form of document.querySelectorAll("form[data-send]")) form.reset();
  });

  async function swap(address, options) {
    let answer, page;
    try {
      answer = await fetch(address, options);
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { return false; }
    if (!answer.ok || !page.getElementById("count")) return false;
    for (const id of ["marks", "count"]) document.getElementById(id).replaceWith(page.getElementById(id));
    history.replaceState(null, "", answer.url);
    return true;
  }

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const address = typeof link.href === "string" ? link.href : link.href.baseVal;
    if (!await swap(address)) { location.href = address; return; }
    const target = document.getElementById(new URL(address, location.href).hash.slice(1));
    if (target) target.scrollIntoView({ block: target.id === "fix" ? "start" : "nearest" });
  });
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-swap]");
    if (!form) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    if (await swap(form.action, { method: "POST", body })) document.getElementById("count").scrollIntoView();
    else form.submit();
  });
})();
