// The search, the contents that follow the reader, and the buttons that copy. The page is complete without them.
"use strict";
(() => {
  const search = document.getElementById("search");
  const query = document.getElementById("query");
  const found = document.getElementById("found");
  const contents = document.getElementById("contents");
  if (!contents) return;
  const entries = [...document.querySelectorAll("[data-search]")];
  const groups = [...document.querySelectorAll("main > .group")];
  const folds = [...contents.querySelectorAll("details")];
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));

  // Hides what does not contain all words. An empty query shows everything.
  function filter() {
    const words = query.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let operations = 0;
    let codes = 0;
    for (const entry of entries) {
      // A word such as answers.incorrect also finds the operations that answer it.
      const { search: text, codes: answered = "" } = entry.dataset;
      const matches = words.every((word) => text.includes(word) || (/[._]/.test(word) && answered.includes(word)));
      entry.hidden = !matches;
      const link = links.get(entry.id);
      if (link) link.parentElement.hidden = !matches;
      if (matches && entry.classList.contains("operation")) operations += 1;
      if (matches && entry.classList.contains("code")) codes += 1;
    }
    const searching = words.length > 0;
    for (const group of groups) {
      group.hidden = searching && !group.querySelector("[data-search]:not([hidden])");
    }
    for (const link of links.values()) {
      const target = document.getElementById(link.hash.slice(1));
      if (target && target.classList.contains("group")) link.parentElement.hidden = searching;
    }
    for (const fold of folds) {
      const left = fold.querySelectorAll("li:not([hidden])").length;
      fold.hidden = searching && left === 0;
      fold.querySelector(".count").textContent = searching ? left : left - 1;
      if (searching) fold.open = !fold.hidden;
    }
    found.textContent = searching ? summary(operations, codes) : "";
    if (searching) scrollTo(0, 0);
    else follow();
  }

  function summary(operations, codes) {
    const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    return `${count(operations, "operation")} and ${count(codes, "error code")} found. Escape shows everything.`;
  }

  function show(text) {
    query.value = text;
    filter();
  }

  // Visible links of the contents, in order.
  const reachable = () => [...contents.querySelectorAll("a")].filter((link) => link.offsetParent !== null);

  function move(from, step) {
    const all = reachable();
    const index = from === query ? -1 : all.indexOf(from);
    const next = index + step;
    if (next < 0) query.focus();
    else if (next < all.length) all[next].focus();
  }

  const steps = { ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === "/" && target !== query) {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (event.key === "Escape" && (target === query || query.value !== "")) {
      show("");
      query.blur();
    } else if (event.key === "Enter" && target === query) {
      const first = entries.find((entry) => !entry.hidden);
      if (first && query.value.trim() !== "") location.hash = first.id;
    } else if (steps[event.key] && (target === query || contents.contains(target))) {
      event.preventDefault();
      move(target, steps[event.key]);
    }
  });
  query.addEventListener("input", filter);

  // A link to what the search has hidden ends the search; a link into a fold opens it.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) show("");
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);

  // Marks the entry of the contents that is being read, and unfolds its group.
  let current = null;
  function follow() {
    const edge = 120;
    const marks = entries.length ? [...groups, ...entries] : groups;
    let reading = null;
    let nearest = -Infinity;
    for (const mark of marks) {
      if (mark.hidden) continue;
      const top = mark.getBoundingClientRect().top;
      if (top <= edge && top >= nearest) [reading, nearest] = [mark, top];
    }
    const link = reading && links.get(reading.id);
    if (link === current) return;
    if (current) current.removeAttribute("aria-current");
    current = link;
    if (!link) return;
    link.setAttribute("aria-current", "true");
    if (query.value !== "" || getComputedStyle(contents).position !== "sticky") return;
    const own = link.closest("details");
    for (const fold of folds) fold.open = fold === own;
    const box = contents.getBoundingClientRect();
    const place = link.getBoundingClientRect();
    if (place.top < box.top || place.bottom > box.bottom) {
      contents.scrollTop += place.top - box.top - box.height / 3;
    }
  }
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      follow();
    });
  }, { passive: true });

  // Copies an example. Without the clipboard of a secure context it selects the text.
  async function copy(block, button) {
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    } catch {
      getSelection().selectAllChildren(block);
    }
  }
  for (const block of document.querySelectorAll(".sample pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(block, button));
    block.after(button);
  }

  search.hidden = false;
  if (location.hash) reveal();
  follow();
})();
