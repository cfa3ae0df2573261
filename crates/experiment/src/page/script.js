"use strict";
// Sorts tables by a click on a heading: least first, most first, as they were. What is missing stays at the end.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const headings = Array.from(table.querySelectorAll("th[data-column]"));
  const key = (row, heading) => {
    const cell = row.cells[Number(heading.dataset.column)];
    if (!cell) return null;
    if ("numeric" in heading.dataset) return "sort" in cell.dataset ? Number(cell.dataset.sort) : null;
    return cell.classList.contains("none") ? null : cell.textContent;
  };
  const order = (heading, sign) => (one, two) => {
    const a = key(one, heading);
    const b = key(two, heading);
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };
  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    if (!button.textContent) button.textContent = "row";
    heading.append(button);
    button.addEventListener("click", () => {
      const was = heading.getAttribute("aria-sort");
      const now = was === "ascending" ? "descending" : was === "descending" ? null : "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      if (now) heading.setAttribute("aria-sort", now);
      const sorted = now ? rows.slice().sort(order(heading, now === "ascending" ? 1 : -1)) : rows;
      body.append(...sorted);
    });
  }
}

// Shows the rows of the experiment that have all words of a search, in all tables at once.
const names = new Set(Array.from(document.querySelectorAll("#scores tbody tr"), (row) => row.cells[0].textContent));
if (names.size >= 8) {
  const named = Array.from(document.querySelectorAll("table.sortable tbody tr")).filter((row) => names.has(row.cells[0].textContent));
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Rows with…";
  search.setAttribute("aria-label", "Show the rows with these words in all tables");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of named) {
      const name = row.cells[0].textContent.toLowerCase();
      row.hidden = !words.every((word) => name.includes(word));
    }
  });
  document.querySelector("nav").append(search);
}

// A button that copies what stands beside it; where a browser does not allow that, the text is selected.
for (const box of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  box.prepend(button);
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  button.addEventListener("click", () => {
    const code = box.querySelector("code");
    const select = () => {
      getSelection().selectAllChildren(code);
      say("Selected");
    };
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(code.textContent).then(() => say("Copied"), select);
  });
}

// Says where a table or plot is wider than the screen, by more than the arrow of a heading.
const boxes = document.querySelectorAll(".box");
const measure = () => {
  for (const box of boxes) box.toggleAttribute("data-more", box.scrollWidth > box.clientWidth + 20);
};
addEventListener("resize", measure);
addEventListener("toggle", measure, true);
measure();

// What is folded is printed too.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    details.dataset.folded = "";
  }
});
addEventListener("afterprint", () => {
  for (const details of document.querySelectorAll("details[data-folded]")) {
    details.open = false;
    delete details.dataset.folded;
  }
});
