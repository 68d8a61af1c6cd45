"use strict";
(() => {
  const all = (what, from = document) => Array.from(from.querySelectorAll(what));
  const canvas = document.querySelector(".canvas");
  const picture = canvas.querySelector("svg");
  const kernels = new Map(all("template.kernel").map((t) => [t.dataset.kernel, t]));

  function choose(number, show) {
    const text = kernels.get(number);
    if (!text) return;
    all(".chosen").forEach((e) => e.classList.remove("chosen"));
    all(`[data-kernel="${number}"]`).forEach((e) => e.classList.add("chosen"));
    const [first, ...rest] = text.dataset.about.split("\n");
    document.getElementById("chosen").textContent = `Kernel ${number} · ${first}`;
    document.getElementById("chosen-about").textContent = rest.join("\n");
    document.getElementById("source").textContent = text.content.textContent;
    const frame = canvas.querySelector(`.frame[data-kernel="${number}"]`);
    if (show && frame) {
      const [box, room] = [frame.getBoundingClientRect(), canvas.getBoundingClientRect()];
      canvas.scrollBy({ left: box.left + box.width / 2 - room.left - room.width / 2, top: box.top - room.top - 40 });
    }
  }

  document.addEventListener("click", (event) => {
    const node = event.target.closest(".canvas .node");
    const marked = event.target.closest("[data-kernel]");
    if (marked && !node) choose(marked.dataset.kernel, !canvas.contains(marked));
    if (node) {
      // A node lies in the frame that is drawn around it.
      const box = node.getBoundingClientRect();
      const holds = (f) => { const r = f.getBoundingClientRect(); return r.left <= box.left && r.right >= box.right && r.top <= box.top && r.bottom >= box.bottom; };
      const frame = all(".frame[data-kernel]", canvas).find(holds);
      if (frame) choose(frame.dataset.kernel, false);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("tr[data-kernel], th")) event.target.click();
  });

  if (picture) {
    const whole = { width: picture.width.baseVal.value, height: picture.height.baseVal.value };
    let scale = 1;
    const zoom = (to) => {
      const centre = [canvas.scrollLeft + canvas.clientWidth / 2, canvas.scrollTop + canvas.clientHeight / 2].map((c) => c / scale);
      scale = Math.min(4, Math.max(0.02, to));
      picture.setAttribute("width", whole.width * scale);
      picture.setAttribute("height", whole.height * scale);
      canvas.scrollTo(centre[0] * scale - canvas.clientWidth / 2, centre[1] * scale - canvas.clientHeight / 2);
    };
    const fit = (least) => Math.max(least, Math.min(1, (canvas.clientWidth - 4) / whole.width, (canvas.clientHeight - 4) / whole.height));
    document.getElementById("closer").onclick = () => zoom(scale * 1.25);
    document.getElementById("farther").onclick = () => zoom(scale / 1.25);
    document.getElementById("whole").onclick = () => zoom(fit(0.02));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }, { passive: false });
    zoom(fit(0.85));
    canvas.scrollTo(Math.max(0, (picture.clientWidth - canvas.clientWidth) / 2), 0);
  }

  // Rows in the order of a column; once more: the other way round.
  all("#kernels th").forEach((head, column) => head.addEventListener("click", () => {
    const body = document.querySelector("#kernels tbody");
    const up = head.dataset.order === "down";
    all("#kernels th").forEach((h) => delete h.dataset.order);
    head.dataset.order = up ? "up" : "down";
    const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const rows = all("tr", body).sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      const order = head.classList.contains("number") ? Number(y) - Number(x) : x.localeCompare(y);
      return up ? -order : order;
    });
    body.append(...rows);
  }));

  const first = document.querySelector("#kernels tbody tr");
  if (first) choose(first.dataset.kernel, false);
  document.documentElement.dataset.ready = "yes";
})();
