// Keys: n and p go to the next and the previous difference, j and k to the next and the previous pair,
// d and x judge, / goes to the search field. A click on the head of a column sorts the rows of its table.
"use strict";
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "/") {
    document.getElementById("q")?.focus();
    event.preventDefault();
    return;
  }
  const named = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (named) {
    named.click();
    return;
  }
  if (event.key !== "n" && event.key !== "p") return;
  const all = [...document.querySelectorAll(".difference")];
  if (all.length === 0) return;
  const here = all.findIndex((element) => element.classList.contains("here"));
  const step = event.key === "n" ? 1 : -1;
  const next = here < 0 ? (step > 0 ? 0 : all.length - 1) : (here + step + all.length) % all.length;
  if (here >= 0) all[here].classList.remove("here");
  all[next].classList.add("here");
  all[next].scrollIntoView({ block: "center" });
});

// A list that is cut into pages is sorted by the server.
const tables = document.querySelector(".pager a") ? [] : document.querySelectorAll("main .wide table");
const collator = new Intl.Collator("en", { numeric: true });
const value = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  if (!cell.dataset.value && !cell.classList.contains("number")) return text;
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? -Infinity : number;
};
const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a < b ? -1 : Number(a > b));
for (const table of tables) {
  const [body] = table.tBodies;
  if (!table.tHead || body.rows.length < 2) continue;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // numbers: the largest first
      const isDown = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : head.matches(".number");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => (isDown ? -1 : 1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    });
  });
}
