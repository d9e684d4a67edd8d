"use strict";
// Each run: one current event (0 is before the first), shown in the lanes, in the table and as a state.
for (const run of document.querySelectorAll(".run")) {
  const find = (selector) => run.querySelector(selector);
  const all = (selector) => [...run.querySelectorAll(selector)];
  const slider = find(".step"), now = find(".now"), values = JSON.parse(find(".values").textContent);
  const marks = all(".mark"), rows = all("tr[data-step]"), cells = all(".state td"), last = Number(slider.max);

  function show(step, scroll) {
    slider.value = step;
    const current = step - 1;
    for (const mark of marks) {
      const own = Number(mark.dataset.step);
      mark.classList.toggle("current", own === current);
      mark.classList.toggle("after", own > current);
    }
    for (const row of rows) {
      const here = Number(row.dataset.step) === current;
      row.classList.toggle("current", here);
      if (here) {
        row.setAttribute("aria-current", "step");
        if (scroll) row.scrollIntoView({ block: "nearest" });
      } else row.removeAttribute("aria-current");
    }
    const before = values[Math.max(step - 1, 0)];
    cells.forEach((cell, index) => {
      cell.textContent = values[step][index];
      cell.classList.toggle("violated", values[step][index] !== before[index]);
    });
    const mark = marks.find((one) => Number(one.dataset.step) === current);
    const words = mark ? mark.title : "before the first event";
    now.textContent = `${step} of ${last}: ${words}`;
    slider.setAttribute("aria-valuetext", now.textContent);
  }

  const go = (step) => show(Math.min(Math.max(step, 0), last), true);
  slider.addEventListener("input", () => go(Number(slider.value)));
  find(".first").addEventListener("click", () => go(0));
  find(".back").addEventListener("click", () => go(Number(slider.value) - 1));
  find(".next").addEventListener("click", () => go(Number(slider.value) + 1));
  find(".last").addEventListener("click", () => go(last));
  for (const one of [...marks, ...rows]) one.addEventListener("click", () => go(Number(one.dataset.step) + 1));

  const log = find(".log[type=checkbox]");
  if (log) log.addEventListener("change", () => {
    const scale = log.checked ? "log" : "linear";
    for (const mark of marks) mark.style.left = `${mark.dataset[scale]}%`;
    for (const bar of all(".bar")) {
      const [start, end] = bar.dataset[scale].split(" ").map(Number);
      bar.style.left = `${start}%`;
      bar.style.width = `${end - start}%`;
    }
    for (const tick of all(".tick")) tick.hidden = !tick.classList.contains(scale);
  });
  show(last, false);
}

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.of);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // A page opened from disk may not write to the clipboard: select the text instead.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  });
}
